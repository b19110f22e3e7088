/* The function of a pool: `fold_alike` computes BLOCKS pixels whose windows lie alike, so many
 * elements apart, `fold_pixel` a single one. Both take this core's channels.
 *
 * Where pixels lie side by side and windows move by one, the outputs of a row read their taps as
 * the channels of a single pixel do: from as many elements in a run. `fold_pixel` takes them as
 * such, so that few channels fill its vectors as well. */
#include "dpl/cores.h"

/* Whether no side cuts the columns of BLOCKS windows from `x` on. */
static inline int alike(const args *a, int32_t x) {
    const dpl_window *w = &a->window;
    const int32_t last = x + BLOCKS - 1, begin = x * w->stride_width - w->pads.left;
    const int32_t end =
        last * w->stride_width - w->pads.left + (w->kernel_width - 1) * w->dilation_width;
    return last < a->output.width && begin >= 0 && end < a->input.width;
}

/* How many outputs from `x` on are a run of elements, with no window that a side cuts. */
static inline int32_t run_from(const args *a, int32_t x, int32_t channels) {
    const dpl_window *w = &a->window;
    const int32_t begin = x - w->pads.left;
    const int32_t room = a->input.width - (w->kernel_width - 1) * w->dilation_width - begin;
    const int32_t left = a->output.width - x;
    if (w->stride_width != 1 || a->input.pixel_pitch != channels ||
        a->output.pixel_pitch != channels || begin < 0 || room < 2) {
        return 1;
    }
    return room < left ? room : left;
}

static void run_row(const args *a, int32_t y, dpl_share channels) {
    const element *input = a->input.data + channels.begin;
    element *out = row_of(&a->output, y) + channels.begin;
    const int32_t count = channels.end - channels.begin;
    dpl_taps taps = taps_of_row(&a->input, &a->window, y);
    for (int32_t x = 0; x < a->output.width;) {
        element *to = out + x * a->output.pixel_pitch;
        const int32_t run = run_from(a, x, count);
        taps_of_column(&taps, &a->input, &a->window, x);
        if (run > 1) {
            fold_pixel(a, &taps, input, to, run * count);
            x += run;
        } else if (count >= LEAST_CHANNELS && alike(a, x)) {
            fold_alike(a, &taps, input, to, count);
            x += BLOCKS;
        } else {
            fold_pixel(a, &taps, input, to, count);
            x++;
        }
    }
}

void KERNEL(const args *a) {
    const dpl_part part = dpl_core_part(a->output.height, a->output.channels);
    for (int32_t y = part.rows.begin; y < part.rows.end; y++) {
        run_row(a, y, part.channels);
    }
}

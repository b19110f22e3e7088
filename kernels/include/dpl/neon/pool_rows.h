/* The function of a pool: `fold_alike` computes BLOCKS pixels whose windows lie alike, so many
 * elements apart, `fold_pixel` a single one. Both take this core's channels. */
#include "dpl/cores.h"

/* Whether no side cuts the columns of BLOCKS windows from `x` on. */
static inline int alike(const args *a, int32_t x) {
    const dpl_window *w = &a->window;
    const int32_t last = x + BLOCKS - 1, begin = x * w->stride_width - w->pads.left;
    const int32_t end =
        last * w->stride_width - w->pads.left + (w->kernel_width - 1) * w->dilation_width;
    return last < a->output.width && begin >= 0 && end < a->input.width;
}

static void run_row(const args *a, int32_t y, dpl_share channels) {
    const element *input = a->input.data + channels.begin;
    element *out = row_of(&a->output, y) + channels.begin;
    const int32_t count = channels.end - channels.begin;
    dpl_taps taps = taps_of_row(&a->input, &a->window, y);
    for (int32_t x = 0; x < a->output.width;) {
        element *to = out + x * a->output.pixel_pitch;
        taps_of_column(&taps, &a->input, &a->window, x);
        if (count >= LEAST_CHANNELS && alike(a, x)) {
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

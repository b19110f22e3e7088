/* Depthwise convolutions of little work and few channels, pixel by pixel: a body. To plan bands and
 * to pack rows would take longer than all outputs do. A file has `args` and KERNEL. */
#include "dpl/cores.h"
#include "dpl/cortex_m/blocking.h"
#include "dpl/requant.h"
#include "dpl/window.h"

/* Where the taps of a pixel's channel 0 lie, and their weights. */
typedef struct {
    const element *x;
    const int8_t *w;
} small_tap;

/* Taps beyond the input are at `outside`, zero points, but for those that add nothing. Returns
 * behind the last. */
static small_tap *place_taps(const args *a, const dpl_taps *taps, const element *outside,
                             small_tap *to) {
    const dpl_window *w = &a->window;
    const int8_t *weights = a->weights;
    dpl_row_walk rows = taps->rows;
    for (int32_t y = 0; y < w->kernel_height; y++) {
        const int inside = y >= taps->y.begin && y < taps->y.end;
        const element *x = a->input.data + rows.offset + taps->column;
        for (int32_t k = 0; k < w->kernel_width; k++, weights += a->output.channels) {
            if (inside && k >= taps->x.begin && k < taps->x.end) {
                *to++ = (small_tap){x, weights};
                x += taps->pitch;
            } else if (*outside != 0) {
                *to++ = (small_tap){outside, weights};
            }
        }
        if (inside) {
            dpl_next_row(&rows);
        }
    }
    return to;
}

/* Out of line, so that what the loop needs stays in registers: nine cycles for two taps, whose
 * loads stand beside each other. */
static __attribute__((noinline)) int32_t sum_of_taps(const small_tap *tap, const small_tap *end,
                                                     int32_t channel, int32_t sum) {
    if ((end - tap) % 2 > 0) {
        sum += tap->x[channel] * tap->w[channel];
        tap++;
    }
    for (; tap != end; tap += 2) {
        const element *x0 = tap[0].x, *x1 = tap[1].x;
        const int8_t *w0 = tap[0].w, *w1 = tap[1].w;
        __asm__ volatile("" : "+r"(x0), "+r"(x1), "+r"(w0), "+r"(w1));
        sum += x0[channel] * w0[channel] + x1[channel] * w1[channel];
    }
    return sum;
}

void KERNEL(const args *a) {
    const dpl_share rows = dpl_core_share(a->output.height);
    const element zero = (element)a->input_zero;
    const element outside[DPL_SMALL_CHANNELS] = {zero, zero, zero, zero, zero, zero};
    small_tap list[DPL_POOL_LIST_TAPS];
    for (int32_t y = rows.begin; y < rows.end; y++) {
        dpl_taps taps = taps_of_row(&a->input, &a->window, y);
        element *to = row_of(&a->output, y);
        for (int32_t x = 0; x < a->output.width; x++, to += a->output.pixel_pitch) {
            taps_of_column(&taps, &a->input, &a->window, x);
            const small_tap *end = place_taps(a, &taps, outside, list);
            for (int32_t c = 0; c < a->output.channels; c++) {
                const int32_t sum = sum_of_taps(list, end, c, a->bias[c]);
                to[c] = (element)dpl_requantize(&a->requant, sum, c);
            }
        }
    }
}

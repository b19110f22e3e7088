/* Conv2d, int8, one group, channels in fours: windows of bytes read where they lie, three at a
 * time.
 *
 * No scratch: a kernel row of three windows is a run of the input at a step of it, whose products
 * take 0.75 cycles each (byte_block.h), and 30 more for a row and a pair of channels. Taps that are
 * outside read one constant, so their products need no window; pixels with such taps at the left or
 * right are computed alone, at 1.2 cycles a product. The weights are
 * read for each of these steps. */
#include "dpl/conv2d.h"
#include "dpl/cortex_m/byte_rows.h"

/* Columns from x on to compute at once. Where too few are left for three, the last three between
 * the sides are computed again, but not of single pixels, which the outputs may already lie over.
 */
static inline int32_t threes_begin(const byte_rows *v, int32_t x) {
    const int32_t last = v->inner.end - COLUMNS;
    if (x < v->inner.begin || x >= v->inner.end || last < v->inner.begin) {
        return -1;
    }
    if (x > last + 1 || (x > last && v->point)) {
        return -1;
    }
    return x > last ? last : x;
}

void dpl_conv2d_s8__armv7em_direct(const dpl_conv2d_s8_args *a) {
    const byte_rows v = byte_rows_of(&a->input, &a->output, &a->window, a->input_zero);
    const channel_job j = channel_job_of(&a->requant, a->weights, a->output.channels,
                                         v.row * a->window.kernel_height);
    for (int32_t y = 0; y < a->output.height; y++) {
        dpl_taps taps = taps_of_row(&a->input, &a->window, y);
        int8_t *const out = row_of(&a->output, y);
        for (int32_t x = 0; x < a->output.width;) {
            const int32_t three = threes_begin(&v, x), at = three < 0 ? x : three;
            taps_of_column(&taps, &a->input, &a->window, at);
            if (three < 0) {
                run_one(&v, &j, &taps, out + at * a->output.pixel_pitch);
                x++;
            } else {
                run_three(&v, &j, &taps, out + at * a->output.pixel_pitch);
                x = at + COLUMNS;
            }
        }
    }
}

/* The function of an operator with one input whose elements depend on nothing but themselves: `run`
 * computes count neighbours from those of type `source`. */
#include "dpl/cores.h"

/* 0: `run` may write before it has read all to its left, so that it keeps to a row. */
#ifndef ROWS_IN_A_RUN
#define ROWS_IN_A_RUN 1
#endif

#define ROW_OF_EITHER(t, y)                                                                        \
    _Generic((t),                                                                                  \
        const dpl_tensor_s8 *: dpl_row_s8,                                                         \
        const dpl_tensor_s16 *: dpl_row_s16,                                                       \
        const dpl_tensor_f32 *: dpl_row_f32)(t, y)

/* What has no gaps is one run, all rows or each, otherwise each pixel is. */
void KERNEL(const args *a) {
    const dpl_part part = dpl_core_part(a->output.height, a->output.channels);
    const int32_t first = part.channels.begin, count = part.channels.end - first;
    const int contiguous = a->input.pixel_pitch == count && a->output.pixel_pitch == count;
    const int32_t pixels = contiguous ? 1 : a->output.width;
    const int32_t length = contiguous ? a->output.width * count : count;
    const int follow = ROWS_IN_A_RUN && contiguous && DPL_ROWS_FOLLOW(&a->input, length) &&
                       DPL_ROWS_FOLLOW(&a->output, length);
    const int32_t rows = follow ? part.rows.end - part.rows.begin : 1;
    for (int32_t y = part.rows.begin; y < part.rows.end; y += rows) {
        const source *input = ROW_OF_EITHER(&a->input, y) + first;
        element *out = row_of(&a->output, y) + first;
        for (int32_t x = 0; x < pixels; x++) {
            run(a, input, out, rows * length);
            input += a->input.pixel_pitch;
            out += a->output.pixel_pitch;
        }
    }
}

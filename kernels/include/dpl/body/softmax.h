/* Softmax, int8: three passes over the channels of a pixel. A body, with KERNEL, `largest_of_many`,
 * which takes FEWEST_OF_MANY or more, and `saturated` before it. */
#include "dpl/body/softmax_pixel.h"

static int32_t largest(const int8_t *row, int32_t count) {
    if (count >= FEWEST_OF_MANY) {
        return largest_of_many(row, count);
    }
    int32_t best = row[0];
    for (int32_t i = 1; i < count; i++) {
        best = row[i] > best ? row[i] : best;
    }
    return best;
}

void KERNEL(const dpl_softmax_s8_args *a) {
    const dpl_part part = dpl_core_part(a->output.height, a->output.channels);
    const int32_t count = a->input.channels;
    shares s = {.table = a->table, .zero = a->output_zero, .levels = (uint32_t)a->levels};
    for (int32_t y = part.rows.begin; y < part.rows.end; y++) {
        const int8_t *row = dpl_row_s8(&a->input, y);
        int8_t *out = dpl_row_s8(&a->output, y);
        for (int32_t x = 0; x < a->output.width; x++) {
            s.best = largest(row, count);
            s.sum = sum_powers(a->table, row, count, s.best);
            s.reciprocal = UINT32_MAX / s.sum;
            write_shares(&s, part.channels, row, out);
            row += a->input.pixel_pitch;
            out += a->output.pixel_pitch;
        }
    }
}

/* Softmax, int8: cores share the pixels or, where those are fewer than cores, the channels. */
#include "dpl/requant.h"

#define saturated(x) dpl_clamp(x, INT8_MIN, INT8_MAX)

#include "dpl/body/softmax_pixel.h"

/* Two at a time: a load's value is used behind the other's. */
static int32_t largest(const int8_t *row, int32_t count) {
    int32_t best = row[count - 1];
    for (int32_t i = 0; i + 2 <= count; i += 2) {
        const int32_t a = row[i], b = row[i + 1];
        best = a > best ? a : best;
        best = b > best ? b : best;
    }
    return best;
}

static void pixel(const dpl_softmax_s8_args *a, dpl_share channels, const int8_t *row,
                  int8_t *out) {
    const int32_t count = a->input.channels;
    shares s;
    s.table = a->table;
    s.zero = a->output_zero;
    s.levels = (uint32_t)a->levels;
    s.best = largest(row, count);
    s.sum = sum_powers(a->table, row, count, s.best);
    s.reciprocal = UINT32_MAX / s.sum;
    write_shares(&s, channels, row, out);
}

void dpl_softmax_s8__xpulpv2(const dpl_softmax_s8_args *a) {
    const int32_t width = a->output.width, count = a->output.height * width;
    const int few = count < DPL_CORE_COUNT;
    const dpl_share every = {0, few ? count : a->output.channels};
    const dpl_share pixels = few ? every : dpl_core_share(count);
    const dpl_share channels = few ? dpl_core_share(a->output.channels) : every;
    for (int32_t i = pixels.begin; i < pixels.end; i++) {
        const int32_t y = i / width, x = i % width;
        pixel(a, channels, dpl_row_s8(&a->input, y) + x * a->input.pixel_pitch,
              dpl_row_s8(&a->output, y) + x * a->output.pixel_pitch);
    }
}

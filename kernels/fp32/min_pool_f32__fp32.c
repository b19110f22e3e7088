/* MinPool, float, portable: every channel over the taps inside the input, in their order. */
#include "dpl/body/f32.h"
#include "dpl/cores.h"
#include "dpl/pool.h"

#define KERNEL dpl_min_pool_f32__fp32
typedef dpl_pool_f32_args args;

static float channel(const dpl_taps *taps, const float *restrict input) {
    const int32_t width = taps->x.end - taps->x.begin;
    float found = __builtin_inff();
    dpl_row_walk rows = taps->rows;
    for (int32_t y = taps->y.begin; y < taps->y.end; y++, dpl_next_row(&rows)) {
        const float *restrict x = input + rows.offset + taps->column;
        for (int32_t left = width; left > 0; left--, x += taps->pitch) {
            found = *x < found ? *x : found;
        }
    }
    return found;
}

static void pixel(const args *a, const dpl_taps *taps, dpl_share channels, float *restrict out) {
    for (int32_t c = channels.begin; c < channels.end; c++) {
        out[c] = bounded(channel(taps, a->input.data + c), a->low, a->high);
    }
}

#include "dpl/body/pool.h"

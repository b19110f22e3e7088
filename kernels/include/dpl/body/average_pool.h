/* AveragePool. Every window has at least one tap inside the input. */
#include "dpl/cores.h"
#include "dpl/mean.h"
#include "dpl/ref/blocking.h"
#include "dpl/window.h"

enum { BLOCK = DPL_BLOCK_CHANNELS };

/* Four channels at a time: a load and an add each, and 4 instructions to the next tap shared by
 * the four, so 3 an element on a Cortex-M7 instead of 6. */
static inline void sum_block(const dpl_taps *taps, const element *restrict input,
                             int32_t *restrict sum) {
    int32_t sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
    int32_t width = taps->x.end - taps->x.begin;
    dpl_row_walk rows = taps->rows;
    for (int32_t y = taps->y.begin; y < taps->y.end; y++, dpl_next_row(&rows)) {
        const element *restrict x = input + rows.offset + taps->column;
        for (int32_t left = width; left > 0; left--, x += taps->pitch) {
            sum0 += x[0];
            sum1 += x[1];
            sum2 += x[2];
            sum3 += x[3];
        }
    }
    sum[0] = sum0;
    sum[1] = sum1;
    sum[2] = sum2;
    sum[3] = sum3;
}

static inline int32_t sum_channel(const dpl_taps *taps, const element *restrict input) {
    int32_t sum = 0;
    int32_t width = taps->x.end - taps->x.begin;
    dpl_row_walk rows = taps->rows;
    for (int32_t y = taps->y.begin; y < taps->y.end; y++, dpl_next_row(&rows)) {
        const element *restrict x = input + rows.offset + taps->column;
        for (int32_t left = width; left > 0; left--, x += taps->pitch) {
            sum += *x;
        }
    }
    return sum;
}

static void pixel(const args *a, const dpl_taps *taps, dpl_share channels, element *restrict out) {
    int32_t entry = dpl_taps_count(taps) - 1;
    int32_t c = channels.begin;
    for (; c + BLOCK <= channels.end; c += BLOCK) {
        int32_t sum[BLOCK];
        sum_block(taps, a->input.data + c, sum);
        for (int32_t i = 0; i < BLOCK; i++) {
            out[c + i] = (element)dpl_requantize_mean(&a->requant, sum[i], entry);
        }
    }
    for (; c < channels.end; c++) {
        out[c] =
            (element)dpl_requantize_mean(&a->requant, sum_channel(taps, a->input.data + c), entry);
    }
}

#include "dpl/body/pool.h"

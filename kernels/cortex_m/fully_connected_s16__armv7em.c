/* FullyConnected, int16: weights streamed once, four channels at a time. */
#include "dpl/cores.h"
#include "dpl/cortex_m/blocking.h"
#include "dpl/cortex_m/gemv_s16.h"
#include "dpl/fully_connected.h"

enum { ROWS = DPL_GEMV_S16_CHANNELS, STEP = DPL_GEMV_VALUES };

/* Values 0 and 2, then 1 and 3 of four; zeros fill the last eight. */
static void pack_input(const int16_t *from, int32_t depth, uint32_t *to) {
    int32_t left = depth;
    for (; left >= 4; left -= 4, from += 4, to += 2) {
        uint32_t two[2];
        __builtin_memcpy(two, from, sizeof two);
        to[0] = low_halves(two[0], two[1]);
        to[1] = high_halves(two[0], two[1]);
    }
    uint16_t rest[4] = {0, 0, 0, 0};
    for (int32_t i = 0; i < left; i++) {
        rest[i] = (uint16_t)from[i];
    }
    for (int32_t i = (depth + STEP - 1) / STEP * 2 - depth / 4; i > 0; i--, to += 2) {
        to[0] = rest[0] | (uint32_t)rest[2] << 16;
        to[1] = rest[1] | (uint32_t)rest[3] << 16;
        rest[0] = rest[1] = rest[2] = rest[3] = 0;
    }
}

static void finish_block(const dpl_requant *q, const int32_t *sums, int32_t first, int32_t count,
                         int16_t *out) {
    for (int32_t i = 0; i < count; i++) {
        out[first + i] = (int16_t)dpl_requantize(q, sums[i], first + i);
    }
}

/* For all channels by the high-word rule. */
static void finish_high(const dpl_requant *q, const int32_t *sums, int32_t first, int32_t count,
                        int16_t *out) {
    const int32_t *m = q->multiplier + first * q->channel_step, zero = q->rounding[0];
    for (int32_t i = 0; i < count; i++, m += q->channel_step) {
        out[first + i] = (int16_t)dpl_clamp(scale_high(sums[i], *m, zero), q->low, q->high);
    }
}

static int32_t bias_of(const dpl_fully_connected_s16_args *a, int32_t channel) {
    return channel < a->output.channels ? a->bias[channel] : 0;
}

void dpl_fully_connected_s16__armv7em(const dpl_fully_connected_s16_args *a) {
    const int32_t depth = a->input.channels, fours = (depth + STEP - 1) / STEP * 2;
    const dpl_share share = dpl_core_share((a->output.channels + ROWS - 1) / ROWS);
    const uint32_t *weights = (const uint32_t *)(const void *)a->weights;
    uint32_t *x = a->scratch;
    int16_t *out = dpl_row_s16(&a->output, 0);
    pack_input(dpl_row_s16(&a->input, 0), depth, x);
    for (int32_t block = share.begin; block < share.end; block++) {
        const int32_t c = block * ROWS, left = a->output.channels - c;
        const int32_t count = left < ROWS ? left : ROWS;
        const int32_t start[] = {bias_of(a, c), bias_of(a, c + 2)};
        const long_sums_4x1 s = long_sum_4x1(weights + block * fours * ROWS, x, fours, start);
        const uint32_t b = (uint32_t)bias_of(a, c + 1) + upper_long_sum(s.ab, s.a);
        const uint32_t d = (uint32_t)bias_of(a, c + 3) + upper_long_sum(s.cd, s.c);
        const int32_t sums[] = {s.a, (int32_t)b, s.c, (int32_t)d};
        if (a->requant.rule == DPL_Q32) {
            finish_high(&a->requant, sums, c, count, out);
        } else {
            finish_block(&a->requant, sums, c, count, out);
        }
    }
}

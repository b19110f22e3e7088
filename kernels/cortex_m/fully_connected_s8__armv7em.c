/* FullyConnected, int8: the input widened once, weights streamed once, four channels at a time. */
#include "dpl/cores.h"
#include "dpl/cortex_m/four.h"
#include "dpl/cortex_m/stream.h"
#include "dpl/fully_connected.h"

enum { ROWS = 4, STEP = 8 }; /* values are taken in eights */

/* As dpl/cortex_m/columns.h has it, for one column; zeros fill the last eight. */
static void widen_input(const int8_t *from, int32_t depth, uint32_t *to) {
    int32_t left = depth;
    for (; left >= 4; left -= 4, from += 4, to += 2) {
        const uint32_t four = load_word(from);
        to[0] = even_bytes(four);
        to[1] = odd_bytes(four);
    }
    uint32_t rest = 0;
    for (int32_t i = 0; i < left; i++) {
        rest |= (uint32_t)(uint8_t)from[i] << 8 * i;
    }
    for (int32_t i = (depth + STEP - 1) / STEP * 2 - depth / 4; i > 0; i--, to += 2) {
        to[0] = even_bytes(rest);
        to[1] = odd_bytes(rest);
        rest = 0;
    }
}

static void finish_block(const dpl_fully_connected_s8_args *a, const int32_t *sums, int32_t first,
                         int8_t *out) {
    const dpl_requant *q = &a->requant;
    const int32_t left = a->output.channels - first, step = q->channel_step;
    if (left >= ROWS && by_high_word(q)) {
        const int32_t *table = q->multiplier + first * step;
        const int32_t m[] = {table[0], table[step], table[2 * step], table[3 * step]};
        finish_four(sums, m, q->rounding[0], out + first);
        return;
    }
    for (int32_t i = 0; i < (left < ROWS ? left : ROWS); i++) {
        out[first + i] = (int8_t)dpl_requantize(q, sums[i], first + i);
    }
}

static int32_t bias_of(const dpl_fully_connected_s8_args *a, int32_t channel) {
    return channel < a->output.channels ? a->bias[channel] : 0;
}

void dpl_fully_connected_s8__armv7em(const dpl_fully_connected_s8_args *a) {
    const int32_t depth = a->input.channels, fours = (depth + STEP - 1) / STEP * 2;
    const dpl_share share = dpl_core_share((a->output.channels + ROWS - 1) / ROWS);
    const uint32_t *weights = (const uint32_t *)(const void *)a->weights;
    uint32_t *x = a->scratch;
    int8_t *out = dpl_row_s8(&a->output, 0);
    widen_input(dpl_row_s8(&a->input, 0), depth, x);
    for (int32_t block = share.begin; block < share.end; block++) {
        const sums_4x1 s = sum_4x1(weights + block * fours * ROWS, x, fours);
        const int32_t c = block * ROWS;
        const int32_t sums[] = {s.a + bias_of(a, c), upper_sum(s.ab, s.a) + bias_of(a, c + 1),
                                s.c + bias_of(a, c + 2), upper_sum(s.cd, s.c) + bias_of(a, c + 3)};
        finish_block(a, sums, c, out);
    }
}

/* From the sums of a record to outputs. */
#ifndef DPL_CORTEX_M_WINOGRAD_OUTPUT_H
#define DPL_CORTEX_M_WINOGRAD_OUTPUT_H

#include "dpl/cortex_m/four.h"
#include "dpl/cortex_m/winograd.h"

/* Where a tile's outputs lie: bytes from its first pixel to the one on its right and the one below,
 * 0 where there is none. The first is written last. */
typedef struct {
    int8_t *at;
    int32_t right, down;
} tile_out;

/* Four accumulators from the sums of a lane, row after row. */
static inline void transform_sums(const uint32_t *sums, int32_t bias, int32_t *to) {
    uint32_t top[SIDE], bottom[SIDE];
    for (int32_t j = 0; j < SIDE; j++) {
        const uint32_t *const column = sums + j * LANES;
        const uint32_t b = column[SIDE * LANES], c = column[2 * SIDE * LANES];
        top[j] = column[0] + b + c;
        bottom[j] = b - c - column[3 * SIDE * LANES];
    }
    to[0] = ((int32_t)(top[0] + top[1] + top[2]) >> 2) + bias;
    to[1] = ((int32_t)(top[1] - top[2] - top[3]) >> 2) + bias;
    to[2] = ((int32_t)(bottom[0] + bottom[1] + bottom[2]) >> 2) + bias;
    to[3] = ((int32_t)(bottom[1] - bottom[2] - bottom[3]) >> 2) + bias;
}

static inline int8_t high_byte(int32_t acc, int32_t multiplier, int32_t zero) {
    return (int8_t)saturate8(scale_high(acc, multiplier, zero));
}

/* One channel of a lane by the high-word rule. */
static inline void put_high(const uint32_t *sums, int32_t bias, int32_t multiplier, int32_t zero,
                            const tile_out *out, int32_t channel) {
    int8_t *const first = out->at + channel, *const below = first + out->down;
    int32_t acc[4];
    transform_sums(sums, bias, acc);
    below[out->right] = high_byte(acc[3], multiplier, zero);
    *below = high_byte(acc[2], multiplier, zero);
    first[out->right] = high_byte(acc[1], multiplier, zero);
    *first = high_byte(acc[0], multiplier, zero);
}

/* The same by any rule. */
static inline void put_any(const uint32_t *sums, int32_t bias, const dpl_requant *q,
                           const tile_out *out, int32_t channel) {
    int8_t *const first = out->at + channel, *const below = first + out->down;
    int32_t acc[4];
    transform_sums(sums, bias, acc);
    below[out->right] = (int8_t)dpl_requantize(q, acc[3], channel);
    *below = (int8_t)dpl_requantize(q, acc[2], channel);
    first[out->right] = (int8_t)dpl_requantize(q, acc[1], channel);
    *first = (int8_t)dpl_requantize(q, acc[0], channel);
}

/* Channels `channel` and, if there is one, the next, of `lanes` tiles. `head`: the pair's biases
 * and multipliers. */
static __attribute__((noinline)) void put_high_pair(const uint32_t *sums, const uint32_t *head,
                                                    int32_t zero, const tile_out *out,
                                                    int32_t lanes, int32_t channel) {
    const int32_t bias_a = (int32_t)head[0], bias_b = (int32_t)head[1];
    const int32_t by_a = (int32_t)head[2], by_b = (int32_t)head[3];
    for (int32_t i = 0; i < lanes; i++) {
        put_high(sums + i, bias_a, by_a, zero, out + i, channel);
        put_high(sums + i + PAIR_WORDS, bias_b, by_b, zero, out + i, channel + 1);
    }
}

static inline void put_pair(const uint32_t *sums, const uint32_t *head, const dpl_requant *q,
                            const tile_out *out, int32_t lanes, int32_t channel, int32_t channels) {
    if (by_high_word(q) && channel + 1 < channels) {
        put_high_pair(sums, head, q->rounding[0], out, lanes, channel);
        return;
    }
    for (int32_t i = 0; i < lanes; i++) {
        put_any(sums + i, (int32_t)head[0], q, out + i, channel);
        if (channel + 1 < channels) {
            put_any(sums + i + PAIR_WORDS, (int32_t)head[1], q, out + i, channel + 1);
        }
    }
}

#endif

/* Sums of the taps of eight channels, of any type. */
#ifndef DPL_NEON_DEPTHWISE_TAPS_H
#define DPL_NEON_DEPTHWISE_TAPS_H

#include "dpl/neon/scale.h"
#include "dpl/neon/tap_list.h"

typedef dpl_requant output_rule;

/* Of eight channels. */
typedef struct {
    int32x4_t low, high;
} eight_sums;

/* Of a block's pixels: names, since gcc keeps no array in registers. */
typedef struct {
    eight_sums p0, p1, p2, p3;
} block_sums;

/* Of the first and the last four of eight channels. */
static inline const four_tables *tables_of(const tap_list *taps, const int8_t *piece,
                                           int32_t weight_bytes) {
    return (const four_tables *)(const void *)(piece + taps->count * WIDTH * weight_bytes);
}

/* Eight channels, `from` bytes behind the taps, of a block. */
#define SUM_TAPS(NAME, VECTOR, LOAD, ADD)                                                          \
    static inline block_sums NAME(const tap_list *taps, int64_t from, const int8_t *piece,         \
                                  const four_tables *tables) {                                     \
        const int8_t *const *at = taps->at;                                                        \
        eight_sums held[PIXELS];                                                                   \
        UNROLLED for (int i = 0; i < PIXELS; i++) {                                                \
            held[i].low = vld1q_s32(tables[0].bias);                                               \
            held[i].high = vld1q_s32(tables[1].bias);                                              \
        }                                                                                          \
        for (int32_t t = 0; t < taps->count; t += 2, at += 2 * PIXELS) {                           \
            const VECTOR x = LOAD(piece), y = LOAD(piece + sizeof(VECTOR));                        \
            UNROLLED for (int i = 0; i < PIXELS; i++) {                                            \
                held[i] = ADD(held[i], LOAD(at[i] + from), x, LOAD(at[PIXELS + i] + from), y);     \
            }                                                                                      \
            piece += 2 * sizeof(VECTOR);                                                           \
        }                                                                                          \
        const block_sums sums = {held[0], held[1], held[2], held[3]};                              \
        return sums;                                                                               \
    }

/* Outputs of a block before they are limited to their type. */
INLINED block_sums scaled_block(dpl_rule rule, const four_tables *tables, block_sums sums) {
    const four_tables *l = tables, *h = tables + 1;
    const factors low = {vld1q_s32(l->multiplier), vld1q_s32(l->rounding), vld1q_s32(l->shift)};
    const factors high = {vld1q_s32(h->multiplier), vld1q_s32(h->rounding), vld1q_s32(h->shift)};
    const block_sums outputs = {
        {scaled(rule, &low, sums.p0.low), scaled(rule, &high, sums.p0.high)},
        {scaled(rule, &low, sums.p1.low), scaled(rule, &high, sums.p1.high)},
        {scaled(rule, &low, sums.p2.low), scaled(rule, &high, sums.p2.high)},
        {scaled(rule, &low, sums.p3.low), scaled(rule, &high, sums.p3.high)},
    };
    return outputs;
}

/* The rule is decided once a block. */
INLINED block_sums scaled_by(dpl_rule rule, const four_tables *tables, block_sums sums) {
    switch (rule) {
    case DPL_Q32: return scaled_block(DPL_Q32, tables, sums);
    case DPL_SHIFT: return scaled_block(DPL_SHIFT, tables, sums);
    case DPL_I32: return scaled_block(DPL_I32, tables, sums);
    case DPL_Q16: return scaled_block(DPL_Q16, tables, sums);
    default: return scaled_block(DPL_Q31, tables, sums);
    }
}

#endif

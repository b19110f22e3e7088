/* From sums of four channels to outputs before they are limited. */
#ifndef DPL_NEON_SCALE_H
#define DPL_NEON_SCALE_H

#include "dpl/neon/rules.h"

/* Of four channels. */
typedef struct {
    int32_t bias[4], multiplier[4], rounding[4];
    int32_t shift[4]; /* negative: to the right */
} four_tables;

INLINED void add_bias(const four_tables *by, int32x4_t *sums, int count) {
    const int32x4_t bias = vld1q_s32(by->bias);
    UNROLLED for (int i = 0; i < count; i++) {
        sums[i] = vaddq_s32(sums[i], bias);
    }
}

/* Whether the rule is DPL_Q31 and every shift takes more than the low word of a product: what is
 * rounded is then the high word, in half of the instructions. */
static inline int takes_high_words(dpl_rule rule, const four_tables *by) {
    int32_t all = rule == DPL_Q31 ? -1 : 0;
    for (int i = 0; i < 4; i++) {
        all &= by->shift[i] + 32; /* negative beyond a word */
    }
    return all < 0;
}

INLINED void scale_high_words(const four_tables *by, int32x4_t *sums, int count) {
    const int32x4_t multiplier = vld1q_s32(by->multiplier), zero = vld1q_s32(by->rounding);
    const int32x4_t shift = vaddq_s32(vld1q_s32(by->shift), vdupq_n_s32(31));
    UNROLLED for (int i = 0; i < count; i++) {
        sums[i] = vaddq_s32(vrshlq_s32(doubled_high_words(sums[i], multiplier), shift), zero);
    }
}

INLINED void scale_by(dpl_rule rule, const four_tables *by, int32x4_t *sums, int count) {
    const factors f = {vld1q_s32(by->multiplier), vld1q_s32(by->rounding), vld1q_s32(by->shift)};
    UNROLLED for (int i = 0; i < count; i++) {
        sums[i] = scaled(rule, &f, sums[i]);
    }
}

/* The outputs of `count` pixels, a constant, before they are limited to their type; biases are
 * among the sums. `high`: takes_high_words. */
INLINED void scale_biased(dpl_rule rule, const four_tables *by, int high, int32x4_t *sums,
                          int count) {
    if (high) {
        scale_high_words(by, sums, count);
        return;
    }
    switch (rule) {
    case DPL_SHIFT: scale_by(DPL_SHIFT, by, sums, count); break;
    case DPL_I32: scale_by(DPL_I32, by, sums, count); break;
    case DPL_Q16: scale_by(DPL_Q16, by, sums, count); break;
    case DPL_Q32: scale_by(DPL_Q32, by, sums, count); break;
    default: scale_by(DPL_Q31, by, sums, count); break;
    }
}

INLINED void scale_sums(dpl_rule rule, const four_tables *by, int32x4_t *sums, int count) {
    add_bias(by, sums, count);
    scale_biased(rule, by, 0, sums, count);
}

#endif

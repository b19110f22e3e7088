/* From sums to outputs, four at a time, by the rules of docs/arithmetic.md. */
#ifndef DPL_NEON_RULES_H
#define DPL_NEON_RULES_H

#include "dpl/neon/simd.h"
#include "dpl/requant.h"

static inline int32x4_t low_words(int64x2_t a, int64x2_t b) {
    return vcombine_s32(vmovn_s64(a), vmovn_s64(b));
}

/* The product of 64 bits over 2^-shift, rounded half up. */
static inline int32x4_t shifted_product(int32x4_t sum, int32x4_t multiplier, int32x4_t shift) {
    const int64x2_t low = vmull_s32(vget_low_s32(sum), vget_low_s32(multiplier));
    const int64x2_t high = vmull_s32(vget_high_s32(sum), vget_high_s32(multiplier));
    return low_words(vrshlq_s64(low, vmovl_s32(vget_low_s32(shift))),
                     vrshlq_s64(high, vmovl_s32(vget_high_s32(shift))));
}

/* Twice the high words of products, rounded down, by multipliers in [0, 2^31): what a bit more is
 * rounded by gives the same as the whole product. */
static inline int32x4_t doubled_high_words(int32x4_t sum, int32x4_t multiplier) {
    return vqdmulhq_s32(sum, multiplier);
}

static inline int32x4_t high_words(int32x4_t sum, int32x4_t multiplier) {
    return vrshrq_n_s32(doubled_high_words(sum, multiplier), 1);
}

static inline int32x4_t words_of_48(int32x4_t sum, int32x4_t multiplier) {
    const int64x2_t low = vmull_s32(vget_low_s32(sum), vget_low_s32(multiplier));
    const int64x2_t high = vmull_s32(vget_high_s32(sum), vget_high_s32(multiplier));
    return vcombine_s32(vshrn_n_s64(low, 16), vshrn_n_s64(high, 16));
}

/* Four entries of the tables; shifts are negative: to the right. */
typedef struct {
    int32x4_t multiplier, rounding, shift;
} factors;

/* One entry for all elements. The rule with one multiplier alone has no shifts. */
static inline factors factors_of(const dpl_requant *q, int32_t entry) {
    const int32_t rounding = q->rounding[q->rule == DPL_Q32 ? 0 : entry];
    const int32_t shift = q->rule == DPL_Q32 ? 0 : -q->shift[entry];
    const factors f = {vdupq_n_s32(q->multiplier[entry]), vdupq_n_s32(rounding),
                       vdupq_n_s32(shift)};
    return f;
}

/* Outputs before they are limited to their type. */
INLINED int32x4_t scaled(dpl_rule rule, const factors *by, int32x4_t sum) {
    if (rule == DPL_Q32) {
        return vaddq_s32(high_words(sum, by->multiplier), by->rounding);
    }
    if (rule == DPL_Q31) {
        return vaddq_s32(shifted_product(sum, by->multiplier, by->shift), by->rounding);
    }
    if (rule == DPL_Q16) {
        return vshlq_s32(vaddq_s32(words_of_48(sum, by->multiplier), by->rounding), by->shift);
    }
    if (rule == DPL_I32) {
        return vshlq_s32(vmlaq_s32(by->rounding, sum, by->multiplier), by->shift);
    }
    return vshlq_s32(vaddq_s32(sum, by->rounding), by->shift);
}

/* The same where the rule is told at run time. */
INLINED int32x4_t scaled_any(dpl_rule rule, const factors *by, int32x4_t sums) {
    switch (rule) {
    case DPL_SHIFT: return scaled(DPL_SHIFT, by, sums);
    case DPL_I32: return scaled(DPL_I32, by, sums);
    case DPL_Q16: return scaled(DPL_Q16, by, sums);
    case DPL_Q32: return scaled(DPL_Q32, by, sums);
    default: return scaled(DPL_Q31, by, sums);
    }
}

#endif

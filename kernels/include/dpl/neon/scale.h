/* From sums of four channels to outputs before they are limited, by every rule of
 * docs/arithmetic.md. */
#ifndef DPL_NEON_SCALE_H
#define DPL_NEON_SCALE_H

#include "dpl/neon/simd.h"
#include "dpl/requant.h"

/* Of four channels. */
typedef struct {
    int32_t bias[4], multiplier[4], rounding[4];
    int32_t shift[4]; /* negative: to the right */
} four_tables;

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

static inline int32x4_t high_words(int32x4_t sum, int32x4_t multiplier) {
    const int64x2_t low = vmull_s32(vget_low_s32(sum), vget_low_s32(multiplier));
    const int64x2_t high = vmull_s32(vget_high_s32(sum), vget_high_s32(multiplier));
    return vcombine_s32(vrshrn_n_s64(low, 32), vrshrn_n_s64(high, 32));
}

static inline int32x4_t words_of_48(int32x4_t sum, int32x4_t multiplier) {
    const int64x2_t low = vmull_s32(vget_low_s32(sum), vget_low_s32(multiplier));
    const int64x2_t high = vmull_s32(vget_high_s32(sum), vget_high_s32(multiplier));
    return vcombine_s32(vshrn_n_s64(low, 16), vshrn_n_s64(high, 16));
}

/* The outputs of `count` pixels before they are limited to their type. */
static inline void scale_sums(dpl_rule rule, const four_tables *by, int32x4_t *sums,
                              int32_t count) {
    const int32x4_t bias = vld1q_s32(by->bias), multiplier = vld1q_s32(by->multiplier);
    const int32x4_t rounding = vld1q_s32(by->rounding), shift = vld1q_s32(by->shift);
    for (int32_t i = 0; i < count; i++) {
        const int32x4_t sum = vaddq_s32(sums[i], bias);
        if (rule == DPL_Q32) {
            sums[i] = vaddq_s32(high_words(sum, multiplier), rounding);
        } else if (rule == DPL_Q31) {
            sums[i] = vaddq_s32(shifted_product(sum, multiplier, shift), rounding);
        } else if (rule == DPL_Q16) {
            sums[i] = vshlq_s32(vaddq_s32(words_of_48(sum, multiplier), rounding), shift);
        } else if (rule == DPL_I32) {
            sums[i] = vshlq_s32(vaddq_s32(vmulq_s32(sum, multiplier), rounding), shift);
        } else {
            sums[i] = vshlq_s32(vaddq_s32(sum, rounding), shift);
        }
    }
}

#endif

/* Means of four elements by weights. */
#ifndef DPL_NEON_BLEND_H
#define DPL_NEON_BLEND_H

#include "dpl/neon/eight.h"
#include "dpl/neon/rules.h"

/* Weights of four inputs; `narrow` holds those that fit int8. */
typedef struct {
    int32x4_t wide[4], wide_shift;
    int8x8_t narrow[4];
    int16x8_t narrow_shift;
} blend;

static inline blend blend_of(const int32_t weight[4], int32_t shift) {
    blend b;
    UNROLLED for (int t = 0; t < 4; t++) {
        b.wide[t] = vdupq_n_s32(weight[t]);
        b.narrow[t] = vdup_n_s8((int8_t)weight[t]);
    }
    b.wide_shift = vdupq_n_s32(-shift);
    b.narrow_shift = vdupq_n_s16((int16_t)-shift);
    return b;
}

/* Eight elements of each input. The mean of four does not saturate. */
INLINED int16x8_t blended(const blend *b, const int16x8_t x[4]) {
    int32x4_t low = vmulq_s32(vmovl_s16(vget_low_s16(x[0])), b->wide[0]);
    int32x4_t high = vmulq_s32(vmovl_high_s16(x[0]), b->wide[0]);
    UNROLLED for (int t = 1; t < 4; t++) {
        low = vmlaq_s32(low, vmovl_s16(vget_low_s16(x[t])), b->wide[t]);
        high = vmlaq_s32(high, vmovl_high_s16(x[t]), b->wide[t]);
    }
    low = vrshlq_s32(low, b->wide_shift);
    high = vrshlq_s32(high, b->wide_shift);
    return vcombine_s16(vmovn_s32(low), vmovn_s32(high));
}

static inline int16x8_t wide_eight(const element *const from[4], const blend *b, int32_t i) {
    int16x8_t x[4];
    UNROLLED for (int t = 0; t < 4; t++) {
        x[t] = load_eight(from[t] + i);
    }
    return blended(b, x);
}

/* Eight channels or more: the last eight overlap those before. */
static inline void wide_pixel(const element *const from[4], const blend *b, int32_t count,
                              element *out) {
    const int32_t last = count - EIGHT;
    for (int32_t i = 0; i < last; i += EIGHT) {
        store_eight(out + i, wide_eight(from, b, i));
    }
    store_eight(out + last, wide_eight(from, b, last));
}

#endif

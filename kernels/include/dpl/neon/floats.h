/* Vectors of floats: bounds, loads and stores of fewer than four. */
#ifndef DPL_NEON_FLOATS_H
#define DPL_NEON_FLOATS_H

#include "dpl/neon/simd.h"

/* The bounds of a fused activation. */
typedef struct {
    float low, high;
} float_bounds;

/* As bounded() of dpl/body/f32.h: NaN stays. */
INLINED float32x4_t within(float32x4_t x, const float_bounds *b) {
    return vminq_f32(vmaxq_f32(x, vdupq_n_f32(b->low)), vdupq_n_f32(b->high));
}

/* The first `count` of the lanes, which may be more than there are, or less than one. */
static inline void store_some(float *to, float32x4_t x, int32_t count) {
    if (count >= 4) {
        vst1q_f32(to, x);
        return;
    }
    if (count > 0) {
        vst1q_lane_f32(to, x, 0);
    }
    if (count > 1) {
        vst1q_lane_f32(to + 1, x, 1);
    }
    if (count > 2) {
        vst1q_lane_f32(to + 2, x, 2);
    }
}

/* The first `count` of four, as many as there are to read; the others are zeros. */
static inline float32x4_t load_some(const float *from, int32_t count) {
    if (count >= 4) {
        return vld1q_f32(from);
    }
    float all[4] = {0};
    all[0] = from[0];
    if (count > 1) {
        all[1] = from[1];
    }
    if (count > 2) {
        all[2] = from[2];
    }
    return vld1q_f32(all);
}

#endif

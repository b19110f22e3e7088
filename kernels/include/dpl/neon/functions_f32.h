/* Functions of four floats, within a few 1e-7 of the result's magnitude or of 1. */
#ifndef DPL_NEON_FUNCTIONS_F32_H
#define DPL_NEON_FUNCTIONS_F32_H

#include "dpl/neon/floats.h"

INLINED float32x4_t all(float x) {
    return vdupq_n_f32(x);
}

/* 2^n for n from -126 to 127: the exponents alone. */
INLINED float32x4_t powers_of_two(int32x4_t n) {
    return vreinterpretq_f32_s32(vshlq_s32(vaddq_s32(n, vdupq_n_s32(127)), vdupq_n_s32(23)));
}

/* steps, rounded half away from zero. */
INLINED int32x4_t nearest(float32x4_t steps) {
    const uint32x4_t below = vcltq_f32(steps, all(0));
    return vcvtq_s32_f32(vaddq_f32(steps, vbslq_f32(below, all(-0.5f), all(0.5f))));
}

/* As exponential() of dpl/body/exponential.h, with fused products: e^x = 2^n e^r. */
INLINED float32x4_t exponentials(float32x4_t x) {
    const float32x4_t least = all(-87.3f), most = all(88.72f);
    const float32x4_t kept = vminq_f32(vmaxq_f32(x, least), most);
    const int32x4_t n = nearest(vmulq_f32(kept, all(1.44269504f)));
    const float32x4_t whole = vcvtq_f32_s32(n);
    float32x4_t r = vfmsq_f32(kept, whole, all(0.693359375f));
    r = vfmsq_f32(r, whole, all(-2.12194440e-4f));
    float32x4_t sum = all(1.0f / 5040);
    sum = vfmaq_f32(all(1.0f / 720), sum, r);
    sum = vfmaq_f32(all(1.0f / 120), sum, r);
    sum = vfmaq_f32(all(1.0f / 24), sum, r);
    sum = vfmaq_f32(all(1.0f / 6), sum, r);
    sum = vfmaq_f32(all(0.5f), sum, r);
    sum = vfmaq_f32(all(1.0f), sum, r);
    sum = vfmaq_f32(all(1.0f), sum, r);
    /* in two factors: 2^128 is no float */
    const int32x4_t half = vshlq_s32(n, vdupq_n_s32(-1));
    sum = vmulq_f32(vmulq_f32(sum, powers_of_two(half)), powers_of_two(vsubq_s32(n, half)));
    sum = vbslq_f32(vcltq_f32(x, least), all(0), sum);
    return vbslq_f32(vcgtq_f32(x, most), all(__builtin_inff()), sum);
}

INLINED float32x4_t sigmoids(float32x4_t x) {
    return vdivq_f32(all(1), vaddq_f32(all(1), exponentials(vnegq_f32(x))));
}

INLINED float32x4_t hyperbolic_tangents(float32x4_t x) {
    const float32x4_t power = exponentials(vaddq_f32(x, x));
    return vsubq_f32(all(1), vdivq_f32(all(2), vaddq_f32(power, all(1))));
}

INLINED float32x4_t clipped(float32x4_t x, float low, float high) {
    const float_bounds bounds = {low, high};
    return within(x, &bounds);
}

/* x, below zero `other`. */
INLINED float32x4_t bent(float32x4_t x, float32x4_t other) {
    return vbslq_f32(vcltq_f32(x, all(0)), other, x);
}

#endif

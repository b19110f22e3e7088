/* By instructions of 32-bit ARM: products of floats by a lane, which its VFMA does not take, and
 * quotients. Only simd.h includes this. */
#ifndef DPL_NEON_FLOATS_A32_H
#define DPL_NEON_FLOATS_A32_H

#define vfmaq_laneq_f32(SUM, A, B, LANE) vfmaq_f32(SUM, A, vdupq_n_f32(vgetq_lane_f32(B, LANE)))

static inline float32x4_t vdivq_f32(float32x4_t a, float32x4_t b) {
    a = vsetq_lane_f32(vgetq_lane_f32(a, 0) / vgetq_lane_f32(b, 0), a, 0);
    a = vsetq_lane_f32(vgetq_lane_f32(a, 1) / vgetq_lane_f32(b, 1), a, 1);
    a = vsetq_lane_f32(vgetq_lane_f32(a, 2) / vgetq_lane_f32(b, 2), a, 2);
    return vsetq_lane_f32(vgetq_lane_f32(a, 3) / vgetq_lane_f32(b, 3), a, 3);
}

#endif

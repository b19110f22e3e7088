/* Products of floats by a lane, by instructions of 32-bit ARM: its VFMA takes none. Only simd.h
 * includes this. */
#ifndef DPL_NEON_FLOATS_A32_H
#define DPL_NEON_FLOATS_A32_H

#define vfmaq_laneq_f32(SUM, A, B, LANE) vfmaq_f32(SUM, A, vdupq_n_f32(vgetq_lane_f32(B, LANE)))

#endif

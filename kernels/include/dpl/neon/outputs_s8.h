/* Outputs of int8. */
#ifndef DPL_NEON_OUTPUTS_S8_H
#define DPL_NEON_OUTPUTS_S8_H

#include "dpl/neon/scale.h"

/* Of sixteen values within the limits of int8: on AArch64 one instruction. */
static inline int8x16_t low_bytes(int16x8_t a, int16x8_t b) {
#ifdef __aarch64__
    return vuzp1q_s8(vreinterpretq_s8_s16(a), vreinterpretq_s8_s16(b));
#else
    return vcombine_s8(vqmovn_s16(a), vqmovn_s16(b));
#endif
}

/* Four pixels of four channels, one pixel after the other. */
static inline int8x16_t limited(const int32x4_t *sums, const dpl_requant *q) {
    const int16x8_t first = vcombine_s16(vqmovn_s32(sums[0]), vqmovn_s32(sums[1]));
    const int16x8_t last = vcombine_s16(vqmovn_s32(sums[2]), vqmovn_s32(sums[3]));
    const int16x8_t low = vdupq_n_s16((int16_t)q->low), high = vdupq_n_s16((int16_t)q->high);
    return low_bytes(vminq_s16(vmaxq_s16(first, low), high), vminq_s16(vmaxq_s16(last, low), high));
}

#endif

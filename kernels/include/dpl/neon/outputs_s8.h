/* Outputs of int8. */
#ifndef DPL_NEON_OUTPUTS_S8_H
#define DPL_NEON_OUTPUTS_S8_H

#include "dpl/neon/scale.h"

/* Four pixels of four channels, one pixel after the other. */
static inline int8x16_t limited(const int32x4_t *sums, const dpl_requant *q) {
    const int16x8_t first = vcombine_s16(vqmovn_s32(sums[0]), vqmovn_s32(sums[1]));
    const int16x8_t last = vcombine_s16(vqmovn_s32(sums[2]), vqmovn_s32(sums[3]));
    const int8x16_t all = vcombine_s8(vqmovn_s16(first), vqmovn_s16(last));
    return vminq_s8(vmaxq_s8(all, vdupq_n_s8((int8_t)q->low)), vdupq_n_s8((int8_t)q->high));
}

#endif

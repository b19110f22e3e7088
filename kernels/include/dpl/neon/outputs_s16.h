/* Outputs of int16. */
#ifndef DPL_NEON_OUTPUTS_S16_H
#define DPL_NEON_OUTPUTS_S16_H

#include "dpl/neon/copies.h"
#include "dpl/neon/scale.h"

#define VECTOR_CHANNELS 8

static inline int16x8_t limited(int32x4_t low, int32x4_t high, const dpl_requant *q) {
    const int16x8_t both = vcombine_s16(vqmovn_s32(low), vqmovn_s32(high));
    return vminq_s16(vmaxq_s16(both, vdupq_n_s16((int16_t)q->low)), vdupq_n_s16((int16_t)q->high));
}

static inline void store_pixel(int16_t *to, int16x8_t outputs, int32_t channels) {
    int16_t all[VECTOR_CHANNELS];
    if (channels >= VECTOR_CHANNELS) {
        vst1q_s16(to, outputs);
        return;
    }
    vst1q_s16(all, outputs);
    copy_short((int8_t *)to, (const int8_t *)all, channels * 2);
}

#endif

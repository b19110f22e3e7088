/* Products of int8 in lanes of 16 bits, and lanes of 32 added up. */
#ifndef DPL_NEON_LANES_S8_H
#define DPL_NEON_LANES_S8_H

#include "dpl/neon/simd.h"

/* The lanes of each of four vectors added up. */
static inline int32x4_t sums_of(const int32x4_t *lanes) {
    return vpaddq_s32(vpaddq_s32(lanes[0], lanes[1]), vpaddq_s32(lanes[2], lanes[3]));
}

static inline int16x8_t add_pair(int16x8_t both, int8x16_t a, int8x16_t b) {
    both = vmlal_s8(both, vget_low_s8(a), vget_low_s8(b));
    return vmlal_s8(both, vget_high_s8(a), vget_high_s8(b));
}

static inline int16x8_t pair_of(int8x16_t a, int8x16_t b) {
    const int16x8_t one = vmull_s8(vget_low_s8(a), vget_low_s8(b));
    return vmlal_s8(one, vget_high_s8(a), vget_high_s8(b));
}

#endif

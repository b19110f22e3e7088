/* Sums of products of a block of tiles by the channels of a piece, at each of a tile's 16
 * positions. A tile's value multiplies weights of four channels at once, so that a lane is a
 * channel. */
#ifndef DPL_NEON_WINOGRAD_PRODUCTS_H
#define DPL_NEON_WINOGRAD_PRODUCTS_H

#include "dpl/neon/winograd.h"

#ifdef __aarch64__
#include "dpl/neon/winograd_products_a64.h"
#endif

/* Value K of a step, lane LANE of HALF, of all tiles by four channels. */
#define ADD_VALUE(K, HALF, LANE)                                                                   \
    {                                                                                              \
        const int16x4_t b = vld1_s16(weights + (K)*CHANNELS);                                      \
        UNROLLED for (int t = 0; t < TILES; t++) {                                                 \
            lanes[t] = vmlal_lane_s16(lanes[t], b, HALF(a[t]), LANE);                              \
        }                                                                                          \
    }

/* Four channels at a position. */
static inline void sum_position(const int16_t *values, const int16_t *weights, int32_t steps,
                                int32_t *sums) {
    int32x4_t lanes[TILES];
    UNROLLED for (int t = 0; t < TILES; t++) {
        lanes[t] = vdupq_n_s32(0);
    }
    for (int32_t s = 0; s < steps; s++, values += STEP_VALUES, weights += STEP * CHANNELS) {
        int16x8_t a[TILES];
        UNROLLED for (int t = 0; t < TILES; t++) {
            a[t] = vld1q_s16(values + t * STEP);
        }
        ADD_VALUE(0, vget_low_s16, 0)
        ADD_VALUE(1, vget_low_s16, 1)
        ADD_VALUE(2, vget_low_s16, 2)
        ADD_VALUE(3, vget_low_s16, 3)
        ADD_VALUE(4, vget_high_s16, 0)
        ADD_VALUE(5, vget_high_s16, 1)
        ADD_VALUE(6, vget_high_s16, 2)
        ADD_VALUE(7, vget_high_s16, 3)
    }
    UNROLLED for (int t = 0; t < TILES; t++) {
        vst1q_s32(sums + t * CHANNELS, lanes[t]);
    }
}

/* `sums`: of every position those of each tile. */
static inline void sum_block(const int16_t *values, const int16_t *weights, int32_t steps,
                             int32_t *sums) {
#ifdef __aarch64__
    sum_block_a53(values, weights, steps, sums);
#else
    for (int32_t i = 0; i < POSITIONS; i++, sums += SUMS) {
        sum_position(values, weights, steps, sums);
        sum_position(values, weights + CHANNELS / 2, steps, sums + CHANNELS / 2);
        values += steps * STEP_VALUES;
        weights += steps * STEP * CHANNELS;
    }
#endif
}

#endif

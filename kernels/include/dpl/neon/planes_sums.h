/* Sums of eight positions of planes by up to eight channels, of products of int16.
 *
 * A vector of eight cells multiplies a channel's weight in two products, so that of N channels a
 * value takes 2 N cycles beside the loads of a vector of cells and of one of weights. The next
 * cells are loaded meanwhile. */
#ifndef DPL_NEON_PLANES_SUMS_H
#define DPL_NEON_PLANES_SUMS_H

#include "dpl/neon/blocking.h"
#include "dpl/neon/simd.h"

#define MOST_CHANNELS DPL_PLANE_CHANNELS
#define HALF_CHANNELS (MOST_CHANNELS / 2)  /* a vector of 64 bits */
#define TWO_CHANNELS DPL_PLANE_FEW_OUTPUTS /* most of which two blocks are summed at once */

#define PAIRED_CHANNELS 3 /* the same of lists of values */

/* Of a channel, behind the weights of a piece. */
typedef struct {
    int32_t bias, multiplier, rounding;
    int32_t shift; /* negative: to the right */
} channel_table;

/* The products of lane LANE of W with eight cells. */
#ifdef __aarch64__
#define ADD_HIGH(SUM, X, W, LANE) vmlal_high_lane_s16(SUM, X, W, LANE)
#else
#define ADD_HIGH(SUM, X, W, LANE) vmlal_lane_s16(SUM, vget_high_s16(X), W, LANE)
#endif
#define ADD_CHANNEL(C, W, LANE)                                                                    \
    if ((C) < channels) {                                                                          \
        low[C] = vmlal_lane_s16(low[C], vget_low_s16(x), W, LANE);                                 \
        high[C] = ADD_HIGH(high[C], x, W, LANE);                                                   \
    }

/* Value `I` from `weights` on, whose cells are X; those of the next but one become X. */
#define ADD_VALUE(I, X)                                                                            \
    {                                                                                              \
        const int16x8_t x = X;                                                                     \
        const int16x4_t first = vld1_s16(weights + (I)*step);                                      \
        X = vld1q_s16((const int16_t *)(const void *)(cells + at[(I) + 2]));                       \
        ADD_CHANNEL(0, first, 0)                                                                   \
        ADD_CHANNEL(1, first, 1)                                                                   \
        ADD_CHANNEL(2, first, 2)                                                                   \
        ADD_CHANNEL(3, first, 3)                                                                   \
        if (channels > HALF_CHANNELS) {                                                            \
            const int16x4_t last = vld1_s16(weights + (I)*step + HALF_CHANNELS);                   \
            ADD_CHANNEL(4, last, 0)                                                                \
            ADD_CHANNEL(5, last, 1)                                                                \
            ADD_CHANNEL(6, last, 2)                                                                \
            ADD_CHANNEL(7, last, 3)                                                                \
        }                                                                                          \
    }

#ifdef __aarch64__
#include "dpl/neon/planes_sums_a64.h"
#endif

/* `count` values of windows whose cells are so many bytes behind `cells`, by `channels` channels, a
 * constant. `at` goes on with two places that may be read. */
INLINED void sum_channels(const int8_t *cells, const uint16_t *at, int32_t count,
                          const int16_t *weights, const channel_table *tables, int channels,
                          int32x4_t *low, int32x4_t *high) {
#ifdef __aarch64__
    sum_values_a53(cells, at, count, weights, tables, channels, low, high);
#else
    UNROLLED for (int c = 0; c < channels; c++) {
        low[c] = high[c] = vdupq_n_s32(tables[c].bias);
    }
    const int step = channels > HALF_CHANNELS ? MOST_CHANNELS : HALF_CHANNELS;
    int16x8_t even = vld1q_s16((const int16_t *)(const void *)(cells + at[0]));
    int16x8_t odd = vld1q_s16((const int16_t *)(const void *)(cells + at[1]));
    for (; count >= 2; count -= 2, weights += 2 * step, at += 2) {
        ADD_VALUE(0, even)
        ADD_VALUE(1, odd)
    }
    if (count > 0) {
        ADD_VALUE(0, even)
    }
#endif
}

/* The same of eight channels in lanes: the sums of each position. */
INLINED void sum_lanes(const int8_t *cells, const uint16_t *at, int32_t count,
                       const int16_t *weights, const int32_t *bias, int32x4_t *low,
                       int32x4_t *high) {
#ifdef __aarch64__
    sum_lanes_a53(cells, at, count, weights, bias, low, high);
#else
    for (int i = 0; i < DPL_PLANE_PIXELS; i++) {
        low[i] = vld1q_s32(bias);
        high[i] = vld1q_s32(bias + HALF_CHANNELS);
    }
    for (; count > 0; count--, weights += MOST_CHANNELS) {
        const int16_t *x = (const int16_t *)(const void *)(cells + *at++);
        const int16x4_t first = vld1_s16(weights), last = vld1_s16(weights + HALF_CHANNELS);
        for (int i = 0; i < DPL_PLANE_PIXELS; i++) {
            low[i] = vmlal_s16(low[i], first, vdup_n_s16(x[i]));
            high[i] = vmlal_s16(high[i], last, vdup_n_s16(x[i]));
        }
    }
#endif
}

/* The same of sixteen positions and up to PAIRED_CHANNELS channels: the sums of the last eight
 * behind those of the first. */
INLINED void sum_two(const int8_t *cells, const uint16_t *at, int32_t count, const int16_t *weights,
                     const channel_table *tables, int channels, int32x4_t *low, int32x4_t *high) {
#ifdef __aarch64__
    sum_two_a53(cells, at, count, weights, tables, channels, low, high);
#else
    sum_channels(cells, at, count, weights, tables, channels, low, high);
    sum_channels(cells + 2 * DPL_PLANE_PIXELS, at, count, weights, tables, channels, low + channels,
                 high + channels);
#endif
}

#endif

/* Sums of products of int16 by int8, which is widened off line: eight pixels by eight output
 * channels. A value of a pixel multiplies those of four channels at once, so that a lane is a
 * channel and no lanes are added up in the end. Sixteen loads for 128 operations of four products:
 * 144 cycles for 512. */
#ifndef DPL_NEON_BLOCK_S16_H
#define DPL_NEON_BLOCK_S16_H

#include "dpl/neon/blocking.h"
#include "dpl/neon/scale.h"

#define PIXELS DPL_WIDE_BLOCK_PIXELS
#define CHANNELS DPL_WIDE_BLOCK_CHANNELS
#define STEP DPL_WIDE_STEP_VALUES
#define STEP_BYTES DPL_STEP_BYTES
#define ELEMENT_BYTES 2
#define WHOLE_WINDOW(BYTES) ((BYTES) % STEP_BYTES == 0)

typedef struct {
    const int8_t *pieces;
    int32_t steps, piece_bytes, bytes;
} packed_weights;

/* `bytes` of a window. A group's weights are its pieces, so many as its channels take. */
static inline packed_weights unpack_weights(const int8_t *weights, int32_t bytes,
                                            int32_t channels) {
    const int32_t steps = (bytes + STEP_BYTES - 1) / STEP_BYTES;
    const int32_t piece = steps * STEP * CHANNELS * 2 + 2 * (int32_t)sizeof(four_tables);
    const packed_weights w = {.pieces = weights,
                              .steps = steps,
                              .piece_bytes = piece,
                              .bytes = (channels + CHANNELS - 1) / CHANNELS * piece};
    return w;
}

static inline const four_tables *tables_of(const packed_weights *w, const int8_t *piece) {
    return (const four_tables *)(const void *)(piece + w->steps * STEP * CHANNELS * 2);
}

#ifdef __aarch64__
#include "dpl/neon/block_four_s16_a64.h"
#include "dpl/neon/block_half_s16_a64.h"
#include "dpl/neon/block_one_s16_a64.h"
#include "dpl/neon/block_s16_a64.h"
#endif

/* Value K of a step, lane LANE of HALF, of all pixels by eight channels. */
#define ADD_VALUE(K, HALF, LANE)                                                                   \
    {                                                                                              \
        const int16x8_t b = vld1q_s16(weights + (K)*CHANNELS);                                     \
        UNROLLED for (int p = 0; p < pixels; p++) {                                                \
            const int16x4_t values = HALF(a[p]);                                                   \
            first[p] = vmlal_lane_s16(first[p], vget_low_s16(b), values, LANE);                    \
            last[p] = vmlal_lane_s16(last[p], vget_high_s16(b), values, LANE);                     \
        }                                                                                          \
    }

/* `pixels` pixels, a constant, by the channels of a piece, biases included. */
INLINED void sum_pixels(const packed_weights *w, const int8_t *piece, const int8_t *const *pixel,
                        int pixels, int32x4_t *low, int32x4_t *high) {
    const int16_t *weights = (const int16_t *)(const void *)piece;
    const four_tables *tables = tables_of(w, piece);
    int32x4_t first[PIXELS], last[PIXELS]; /* channels */
    UNROLLED for (int p = 0; p < pixels; p++) {
        first[p] = vld1q_s32(tables[0].bias);
        last[p] = vld1q_s32(tables[1].bias);
    }
    for (int32_t at = 0; at < w->steps * STEP; at += STEP) {
        int16x8_t a[PIXELS];
        UNROLLED for (int p = 0; p < pixels; p++) {
            a[p] = vld1q_s16((const int16_t *)(const void *)pixel[p] + at);
        }
        ADD_VALUE(0, vget_low_s16, 0)
        ADD_VALUE(1, vget_low_s16, 1)
        ADD_VALUE(2, vget_low_s16, 2)
        ADD_VALUE(3, vget_low_s16, 3)
        ADD_VALUE(4, vget_high_s16, 0)
        ADD_VALUE(5, vget_high_s16, 1)
        ADD_VALUE(6, vget_high_s16, 2)
        ADD_VALUE(7, vget_high_s16, 3)
        weights += STEP * CHANNELS;
    }
    UNROLLED for (int p = 0; p < pixels; p++) {
        low[p] = first[p];
        high[p] = last[p];
    }
}

/* Eight pixels by the channels of a piece, biases included. */
static inline void sum_8x8(const packed_weights *w, const int8_t *piece, const int8_t *const *pixel,
                           int32x4_t *low, int32x4_t *high) {
#ifdef __aarch64__
    sum_8x8_a53(pixel, piece, w->steps, tables_of(w, piece)->bias, low, high);
#else
    sum_pixels(w, piece, pixel, PIXELS, low, high);
#endif
}

/* The same of four pixels. */
static inline void sum_4x8(const packed_weights *w, const int8_t *piece, const int8_t *const *pixel,
                           int32x4_t *low, int32x4_t *high) {
#ifdef __aarch64__
    sum_4x8_a53(pixel, piece, w->steps, tables_of(w, piece)->bias, low, high);
#else
    sum_pixels(w, piece, pixel, 4, low, high);
#endif
}

/* Of eight by the first four channels. */
static inline void sum_8x4(const packed_weights *w, const int8_t *piece, const int8_t *const *pixel,
                           int32x4_t *sums) {
#ifdef __aarch64__
    sum_8x4_a53(pixel, piece, w->steps, tables_of(w, piece)->bias, sums);
#else
    int32x4_t none[PIXELS];
    sum_pixels(w, piece, pixel, PIXELS, sums, none);
#endif
}

/* One pixel by the channels of a piece, biases included. */
static inline void sum_1x8(const packed_weights *w, const int8_t *piece, const int8_t *pixel,
                           int32x4_t *low, int32x4_t *high) {
#ifdef __aarch64__
    const four_tables *tables = tables_of(w, piece);
    sum_1x8_a53(pixel, piece, w->steps, low, high);
    add_bias(tables, low, 1);
    add_bias(tables + 1, high, 1);
#else
    sum_pixels(w, piece, &pixel, 1, low, high);
#endif
}

/* The same by the first four channels. */
static inline int32x4_t sum_1x4(const packed_weights *w, const int8_t *piece, const int8_t *pixel) {
#ifdef __aarch64__
    int32x4_t sums = sum_1x4_a53(pixel, piece, w->steps);
    add_bias(tables_of(w, piece), &sums, 1);
    return sums;
#else
    int32x4_t sums, none;
    sum_pixels(w, piece, &pixel, 1, &sums, &none);
    return sums;
#endif
}

#endif

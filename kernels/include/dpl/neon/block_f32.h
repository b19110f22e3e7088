/* Sums of products of floats: eight pixels by eight output channels. A value of a pixel multiplies
 * those of four channels at once, so that a lane is a channel. Every sum begins with its bias and
 * takes the values of its window in their order, each by one fused operation: an output is the same
 * in whatever block it is computed. */
#ifndef DPL_NEON_BLOCK_F32_H
#define DPL_NEON_BLOCK_F32_H

#include "dpl/neon/blocking.h"
#include "dpl/neon/floats.h"

#define PIXELS DPL_WIDE_BLOCK_PIXELS
#define CHANNELS DPL_WIDE_BLOCK_CHANNELS
#define STEP DPL_FLOAT_STEP_VALUES
#define STEP_BYTES DPL_STEP_BYTES
#define ELEMENT_BYTES 4
#define WHOLE_WINDOW(BYTES) 1 /* no value behind a window is read */

typedef struct {
    const int8_t *pieces;                      /* bytes, as those of other types */
    int32_t values, steps, piece_bytes, bytes; /* steps: begun ones */
} packed_weights;

/* `bytes` of a window. A group's weights are its pieces, so many as its channels take. A piece is
 * the biases of its channels, then of each value the weights of each. */
static inline packed_weights unpack_weights(const int8_t *weights, int32_t bytes,
                                            int32_t channels) {
    const int32_t values = bytes / ELEMENT_BYTES;
    const int32_t piece = (1 + values) * CHANNELS * ELEMENT_BYTES;
    const packed_weights w = {.pieces = weights,
                              .values = values,
                              .steps = (values + STEP - 1) / STEP,
                              .piece_bytes = piece,
                              .bytes = (channels + CHANNELS - 1) / CHANNELS * piece};
    return w;
}

#ifdef __aarch64__
#include "dpl/neon/block_f32_a64.h"
#endif

/* Value K of a step by all channels. */
#define ADD_VALUE(K)                                                                               \
    {                                                                                              \
        const float32x4_t b = vld1q_f32(weights + (K)*CHANNELS);                                   \
        const float32x4_t c = vld1q_f32(weights + (K)*CHANNELS + 4);                               \
        UNROLLED for (int p = 0; p < pixels; p++) {                                                \
            low[p] = vfmaq_laneq_f32(low[p], b, a[p], K);                                          \
            high[p] = vfmaq_laneq_f32(high[p], c, a[p], K);                                        \
        }                                                                                          \
    }

/* The values of whole steps. */
INLINED void add_steps(const float *weights, const int8_t *const *pixel, int32_t steps, int pixels,
                       float32x4_t *low, float32x4_t *high) {
    for (int32_t at = 0; at < steps * STEP; at += STEP, weights += STEP * CHANNELS) {
        float32x4_t a[PIXELS];
        UNROLLED for (int p = 0; p < pixels; p++) {
            a[p] = vld1q_f32((const float *)(const void *)pixel[p] + at);
        }
        ADD_VALUE(0)
        ADD_VALUE(1)
        ADD_VALUE(2)
        ADD_VALUE(3)
    }
}

/* The values behind them, one by one. */
INLINED void add_rest(const float *weights, const int8_t *const *pixel, int32_t first,
                      int32_t values, int pixels, float32x4_t *low, float32x4_t *high) {
    for (int32_t at = first; at < values; at++) {
        const float32x4_t b = vld1q_f32(weights + at * CHANNELS);
        const float32x4_t c = vld1q_f32(weights + at * CHANNELS + 4);
        UNROLLED for (int p = 0; p < pixels; p++) {
            const float32x4_t a = vld1q_dup_f32((const float *)(const void *)pixel[p] + at);
            low[p] = vfmaq_f32(low[p], b, a);
            high[p] = vfmaq_f32(high[p], c, a);
        }
    }
}

/* `pixels` pixels, a constant, by the channels of a piece. */
INLINED void sum_pixels(const packed_weights *w, const float *piece, const int8_t *const *pixel,
                        int pixels, float32x4_t *low, float32x4_t *high) {
    const int32_t whole = w->values / STEP;
    const float *weights = piece + CHANNELS;
    float32x4_t first[PIXELS], last[PIXELS];
    UNROLLED for (int p = 0; p < pixels; p++) {
        first[p] = vld1q_f32(piece);
        last[p] = vld1q_f32(piece + 4);
    }
    add_steps(weights, pixel, whole, pixels, first, last);
    add_rest(weights, pixel, whole * STEP, w->values, pixels, first, last);
    UNROLLED for (int p = 0; p < pixels; p++) {
        low[p] = first[p];
        high[p] = last[p];
    }
}

/* Eight pixels by the channels of a piece. */
INLINED void sum_8x8(const packed_weights *w, const float *piece, const int8_t *const *pixel,
                     float32x4_t *low, float32x4_t *high) {
#ifdef __aarch64__
    const int32_t whole = w->values / STEP;
    if (whole > 0) {
        sum_8x8_a53(pixel, piece, whole, low, high);
        add_rest(piece + CHANNELS, pixel, whole * STEP, w->values, PIXELS, low, high);
        return;
    }
#endif
    sum_pixels(w, piece, pixel, PIXELS, low, high);
}

#endif

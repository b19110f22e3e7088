/* Convolution of floats in blocks of eight pixels by eight channels. */
#ifndef DPL_NEON_CONVOLVE_F32_H
#define DPL_NEON_CONVOLVE_F32_H

#include "dpl/neon/block_f32.h"

typedef float_bounds output_rule;
#define SET_RULE(V, A)                                                                             \
    ((V)->input_zero = 0, (V)->requant.low = (A)->low, (V)->requant.high = (A)->high)

#include "dpl/neon/convolve.h"

#define HALF_PIXELS (PIXELS / 2) /* what is left of a strip */

/* Sums to outputs of `pixels` pixels, a constant, of which the strip may have fewer. */
INLINED void store_block(const convolution *v, const strip_pixels *p, int32_t i, int32_t first,
                         int pixels, const float32x4_t *low, const float32x4_t *high) {
    const int32_t channels = v->output.channels / ELEMENT_BYTES - first, left = p->count - i;
    int8_t *const *to = p->to + i;
    if (left >= pixels && channels >= CHANNELS) {
        UNROLLED for (int j = 0; j < pixels; j++) {
            vst1q_f32((float *)(void *)to[j] + first, within(low[j], &v->requant));
            vst1q_f32((float *)(void *)to[j] + first + 4, within(high[j], &v->requant));
        }
        return;
    }
    float32x4_t outputs[2 * PIXELS]; /* in memory: by a number that is no constant */
    UNROLLED for (int j = 0; j < pixels; j++) {
        outputs[2 * j] = within(low[j], &v->requant);
        outputs[2 * j + 1] = within(high[j], &v->requant);
    }
    for (int32_t j = 0; j < left && j < pixels; j++) {
        store_some((float *)(void *)to[j] + first, outputs[2 * j], channels);
        store_some((float *)(void *)to[j] + first + 4, outputs[2 * j + 1], channels - 4);
    }
}

static void run_whole(const convolution *v, const float *piece, const strip_pixels *p, int32_t i,
                      int32_t first) {
    float32x4_t low[PIXELS], high[PIXELS];
    sum_8x8(&v->weights, piece, p->from + i, low, high);
    store_block(v, p, i, first, PIXELS, low, high);
}

static void run_half(const convolution *v, const float *piece, const strip_pixels *p, int32_t i,
                     int32_t first) {
    float32x4_t low[HALF_PIXELS], high[HALF_PIXELS];
    sum_pixels(&v->weights, piece, p->from + i, HALF_PIXELS, low, high);
    store_block(v, p, i, first, HALF_PIXELS, low, high);
}

static inline void run_piece(const convolution *v, const int8_t *bytes, const strip_pixels *p,
                             int32_t first) {
    const float *piece = (const float *)(const void *)bytes;
    int32_t i = 0;
    for (; p->count - i > HALF_PIXELS; i += PIXELS) {
        run_whole(v, piece, p, i, first);
    }
    if (i < p->count) {
        run_half(v, piece, p, i, first);
    }
}

#endif

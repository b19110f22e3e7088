/* Convolution of int16 in blocks of eight pixels by eight channels. */
#ifndef DPL_NEON_CONVOLVE_S16_H
#define DPL_NEON_CONVOLVE_S16_H

#include "dpl/neon/block_s16.h"
#include "dpl/neon/convolve.h"
#include "dpl/neon/outputs_s16.h"

#define HALF_PIXELS (PIXELS / 2) /* what is left of a strip */
#define HALF_CHANNELS (CHANNELS / 2)
#define SINGLES 2 /* of so many one at a time takes less than a half */

/* Sums to outputs of `pixels` pixels, a constant, of which the strip may have fewer. */
INLINED void store_block(const convolution *v, const int8_t *piece, const strip_pixels *p,
                         int32_t i, int32_t first, int high, int pixels, int32x4_t *low,
                         int32x4_t *last) {
    const four_tables *tables = tables_of(&v->weights, piece);
    const int32_t channels = v->output.channels / ELEMENT_BYTES - first, left = p->count - i;
    int8_t *const *to = p->to + i;
    int16x8_t outputs[PIXELS];
    scale_biased(v->requant->rule, tables, high, low, pixels);
    scale_biased(v->requant->rule, tables + 1, high, last, pixels);
    UNROLLED for (int j = 0; j < pixels; j++) {
        outputs[j] = limited(low[j], last[j], v->requant);
    }
    if (left >= pixels && channels >= CHANNELS) {
        UNROLLED for (int j = 0; j < pixels; j++) {
            vst1q_s16((int16_t *)(void *)to[j] + first, outputs[j]);
        }
        return;
    }
    for (int32_t j = 0; j < left && j < pixels; j++) {
        store_pixel((int16_t *)(void *)to[j] + first, outputs[j], channels);
    }
}

INLINED void run_whole(const convolution *v, const int8_t *piece, const strip_pixels *p, int32_t i,
                       int32_t first, int high) {
    int32x4_t low[PIXELS], last[PIXELS];
    sum_8x8(&v->weights, piece, p->from + i, low, last);
    store_block(v, piece, p, i, first, high, PIXELS, low, last);
}

/* Of a piece that has no more than the first half of its channels, in half the time. */
static void run_narrow(const convolution *v, const int8_t *piece, const strip_pixels *p, int32_t i,
                       int32_t first, int high) {
    const int32_t channels = v->output.channels / ELEMENT_BYTES - first, left = p->count - i;
    int32x4_t sums[PIXELS];
    sum_8x4(&v->weights, piece, p->from + i, sums);
    scale_biased(v->requant->rule, tables_of(&v->weights, piece), high, sums, PIXELS);
    for (int32_t j = 0; j < left && j < PIXELS; j++) {
        const int16x8_t outputs = limited(sums[j], sums[j], v->requant);
        store_pixel((int16_t *)(void *)p->to[i + j] + first, outputs, channels);
    }
}

static void run_half(const convolution *v, const int8_t *piece, const strip_pixels *p, int32_t i,
                     int32_t first, int high) {
    int32x4_t low[HALF_PIXELS], last[HALF_PIXELS];
    sum_4x8(&v->weights, piece, p->from + i, low, last);
    store_block(v, piece, p, i, first, high, HALF_PIXELS, low, last);
}

static void run_single(const convolution *v, const int8_t *piece, const strip_pixels *p, int32_t i,
                       int32_t first, int high) {
    int32x4_t low, last;
    sum_1x8(&v->weights, piece, p->from[i], &low, &last);
    store_block(v, piece, p, i, first, high, 1, &low, &last);
}

/* Of a piece that has no more than the first half of its channels. */
static void run_narrow_single(const convolution *v, const int8_t *piece, const strip_pixels *p,
                              int32_t i, int32_t first, int high) {
    const four_tables *tables = tables_of(&v->weights, piece);
    int32x4_t sums = sum_1x4(&v->weights, piece, p->from[i]);
    scale_biased(v->requant->rule, tables, high, &sums, 1);
    store_pixel((int16_t *)(void *)p->to[i] + first, limited(sums, sums, v->requant),
                v->output.channels / ELEMENT_BYTES - first);
}

static inline void run_piece(const convolution *v, const int8_t *piece, const strip_pixels *p,
                             int32_t first) {
    const four_tables *tables = tables_of(&v->weights, piece);
    const dpl_rule rule = v->requant->rule;
    const int high = takes_high_words(rule, tables) && takes_high_words(rule, tables + 1);
    const int narrow = v->output.channels / ELEMENT_BYTES - first <= HALF_CHANNELS;
    int32_t i = 0;
    for (; narrow && p->count - i > SINGLES; i += PIXELS) {
        run_narrow(v, piece, p, i, first, high);
    }
    for (; p->count - i > HALF_PIXELS; i += PIXELS) {
        run_whole(v, piece, p, i, first, high);
    }
    if (p->count - i > SINGLES) {
        run_half(v, piece, p, i, first, high);
        return;
    }
    for (; i < p->count; i++) {
        (narrow ? run_narrow_single : run_single)(v, piece, p, i, first, high);
    }
}

#endif

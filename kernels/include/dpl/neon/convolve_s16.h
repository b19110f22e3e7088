/* Convolution of int16 in blocks of eight pixels by eight channels. */
#ifndef DPL_NEON_CONVOLVE_S16_H
#define DPL_NEON_CONVOLVE_S16_H

#include "dpl/neon/block_s16.h"
#include "dpl/neon/convolve.h"
#include "dpl/neon/outputs_s16.h"

/* Eight pixels and channels from `first` on. */
static inline void store_block(const int16x8_t *outputs, int8_t *const *to, int32_t pixels,
                               int32_t first, int32_t channels) {
    if (pixels >= PIXELS && channels >= CHANNELS) {
        UNROLLED for (int i = 0; i < PIXELS; i++) {
            vst1q_s16((int16_t *)(void *)to[i] + first, outputs[i]);
        }
        return;
    }
    for (int32_t i = 0; i < pixels && i < PIXELS; i++) {
        store_pixel((int16_t *)(void *)to[i] + first, outputs[i], channels);
    }
}

INLINED void run_block(const convolution *v, const int8_t *piece, const strip_pixels *p, int32_t i,
                       int32_t first, int high) {
    const four_tables *tables = tables_of(&v->weights, piece);
    int32x4_t low[PIXELS], last[PIXELS];
    int16x8_t outputs[PIXELS];
    sum_8x8(&v->weights, piece, p->from + i, low, last);
    scale_biased(v->requant->rule, tables, high, low, PIXELS);
    scale_biased(v->requant->rule, tables + 1, high, last, PIXELS);
    UNROLLED for (int j = 0; j < PIXELS; j++) {
        outputs[j] = limited(low[j], last[j], v->requant);
    }
    store_block(outputs, p->to + i, p->count - i, first,
                v->output.channels / ELEMENT_BYTES - first);
}

static inline void run_piece(const convolution *v, const int8_t *piece, const strip_pixels *p,
                             int32_t first) {
    const four_tables *tables = tables_of(&v->weights, piece);
    const dpl_rule rule = v->requant->rule;
    const int high = takes_high_words(rule, tables) && takes_high_words(rule, tables + 1);
    for (int32_t i = 0; i < p->count; i += PIXELS) {
        run_block(v, piece, p, i, first, high);
    }
}

#endif

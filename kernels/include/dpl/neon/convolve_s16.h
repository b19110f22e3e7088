/* Convolution of int16 in blocks of eight pixels by eight channels. */
#ifndef DPL_NEON_CONVOLVE_S16_H
#define DPL_NEON_CONVOLVE_S16_H

#include "dpl/neon/block_s16.h"
#include "dpl/neon/convolve.h"
#include "dpl/neon/outputs_s16.h"

static inline void run_block(const convolution *v, const int8_t *piece, const strip_pixels *p,
                             int32_t i, int32_t first) {
    const four_tables *tables = tables_of(&v->weights, piece);
    const int32_t left = p->count - i, pixels = left < PIXELS ? left : PIXELS;
    const int32_t channels = v->output.channels / ELEMENT_BYTES - first;
    int32x4_t low[PIXELS], high[PIXELS];
    sum_8x8(&v->weights, piece, p->from + i, low, high);
    scale_sums(v->requant->rule, tables, low, PIXELS);
    scale_sums(v->requant->rule, tables + 1, high, PIXELS);
    for (int32_t j = 0; j < pixels; j++) {
        int16_t *to = (int16_t *)(void *)p->to[i + j] + first;
        store_pixel(to, limited(low[j], high[j], v->requant), channels);
    }
}

#endif

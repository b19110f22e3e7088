/* Convolution of int8 in blocks of four pixels by four channels. */
#ifndef DPL_NEON_CONVOLVE_S8_H
#define DPL_NEON_CONVOLVE_S8_H

#include "dpl/neon/block_s8.h"
#include "dpl/neon/convolve.h"
#include "dpl/neon/outputs_s8.h"
#ifdef __aarch64__
#include "dpl/neon/outputs_q32_a64.h"
#endif

/* Four pixels and channels from `first` on. */
static inline void store_block(int8x16_t outputs, int8_t *const *to, int32_t pixels, int32_t first,
                               int32_t channels) {
    int8_t all[PIXELS * CHANNELS];
    if (pixels >= PIXELS && channels >= CHANNELS) {
        const int32x4_t words = vreinterpretq_s32_s8(outputs);
        vst1q_lane_s32((int32_t *)(void *)(to[0] + first), words, 0);
        vst1q_lane_s32((int32_t *)(void *)(to[1] + first), words, 1);
        vst1q_lane_s32((int32_t *)(void *)(to[2] + first), words, 2);
        vst1q_lane_s32((int32_t *)(void *)(to[3] + first), words, 3);
        return;
    }
    vst1q_s8(all, outputs);
    for (int32_t i = 0; i < pixels && i < PIXELS; i++) {
        copy_short(to[i] + first, all + i * CHANNELS, channels < CHANNELS ? channels : CHANNELS);
    }
}

/* Of four pixels; `high`: takes_high_words. */
INLINED int8x16_t outputs_of(const dpl_requant *q, const four_tables *tables, int high,
                             int32x4_t *sums) {
#ifdef __aarch64__
    if (q->rule == DPL_Q32) {
        return outputs_q32_4x4_a53(tables, sums, q->low, q->high);
    }
#endif
    add_bias(tables, sums, PIXELS);
    scale_biased(q->rule, tables, high, sums, PIXELS);
    return limited(sums, q);
}

INLINED void run_block(const convolution *v, const int8_t *piece, const strip_pixels *p, int32_t i,
                       int32_t first, int high) {
    const four_tables *tables = &tables_of(&v->weights, piece)->channels;
    int32x4_t sums[PIXELS];
    sum_4x4(&v->weights, piece, p->from + i, sums);
    store_block(outputs_of(v->requant, tables, high, sums), p->to + i, p->count - i, first,
                v->output.channels - first);
}

static inline void run_piece(const convolution *v, const int8_t *piece, const strip_pixels *p,
                             int32_t first) {
    const int high = takes_high_words(v->requant->rule, &tables_of(&v->weights, piece)->channels);
    for (int32_t i = 0; i < p->count; i += PIXELS) {
        run_block(v, piece, p, i, first, high);
    }
}

#endif

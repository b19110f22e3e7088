/* Convolution of int8 in blocks of four pixels by four channels. */
#ifndef DPL_NEON_CONVOLVE_S8_H
#define DPL_NEON_CONVOLVE_S8_H

#include "dpl/neon/block_narrow_s8.h"
#include "dpl/neon/convolve.h"
#include "dpl/neon/outputs_s8.h"
#ifdef __aarch64__
#include "dpl/neon/outputs_q32_a64.h"
#endif

#define SINGLES 2 /* of so many pixels one at a time takes less than a block */

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

/* Pixel `i`. A quad takes 16 cycles of products, 8 of sums and as many loads of weights as of four
 * pixels, two cycles each: half of what a block takes. */
static void run_single(const convolution *v, const int8_t *piece, const strip_pixels *p, int32_t i,
                       int32_t first, int high) {
    const four_tables *tables = &tables_of(&v->weights, piece)->channels;
    int32x4_t sums[PIXELS];
    sum_pixels(&v->weights, piece, p->from + i, 1, sums);
    sums[1] = sums[2] = sums[3] = sums[0];
    store_block(outputs_of(v->requant, tables, high, sums), p->to + i, 1, first,
                v->output.channels - first);
}

/* Windows of one step, of at most NARROW values unless `wide`. */
INLINED void run_narrow(const convolution *v, const int8_t *piece, const strip_pixels *p,
                        int32_t first, int high, int wide) {
    const four_tables *tables = &tables_of(&v->weights, piece)->channels;
    const narrow_weights w = widen_weights(piece), more = widen_weights(piece + NARROW);
    for (int32_t i = 0; i < p->count; i += PIXELS) {
        int32x4_t sums[PIXELS];
        add_narrow(w, p->from + i, 0, sums);
        if (wide) {
            add_narrow(more, p->from + i, NARROW, sums);
        }
        store_block(outputs_of(v->requant, tables, high, sums), p->to + i, p->count - i, first,
                    v->output.channels - first);
    }
}

static inline void run_wide(const convolution *v, const int8_t *piece, const strip_pixels *p,
                            int32_t first, int high) {
    int32_t i = 0;
    for (; p->count - i > SINGLES; i += PIXELS) {
        run_block(v, piece, p, i, first, high);
    }
    for (; i < p->count; i++) {
        run_single(v, piece, p, i, first, high);
    }
}

static inline void run_piece(const convolution *v, const int8_t *piece, const strip_pixels *p,
                             int32_t first) {
    const dpl_window *w = &v->window;
    const int32_t values = w->kernel_height * w->kernel_width * v->input.channels;
    const int high = takes_high_words(v->requant->rule, &tables_of(&v->weights, piece)->channels);
    if (values <= NARROW) {
        run_narrow(v, piece, p, first, high, 0);
    } else if (values <= STEP) {
        run_narrow(v, piece, p, first, high, 1);
    } else {
        run_wide(v, piece, p, first, high);
    }
}

#endif

/* Convolution of int8 in blocks of four pixels by four channels. */
#ifndef DPL_NEON_CONVOLVE_S8_H
#define DPL_NEON_CONVOLVE_S8_H

#include "dpl/neon/block_s8.h"
#include "dpl/neon/convolve.h"
#include "dpl/neon/outputs_s8.h"

/* Four pixels and channels from `first` on. */
static inline void store_block(const int8_t *outputs, int8_t *const *to, int32_t pixels,
                               int32_t first, int32_t channels) {
    for (int32_t i = 0; i < pixels; i++, outputs += CHANNELS) {
        if (channels >= CHANNELS) {
            copy_word(to[i] + first, outputs);
        } else {
            copy_short(to[i] + first, outputs, channels);
        }
    }
}

static inline void run_block(const convolution *v, const int8_t *piece, const strip_pixels *p,
                             int32_t i, int32_t first) {
    const packed_weights *w = &v->weights;
    const int32_t pixels = p->count - i;
    int32x4_t sums[PIXELS];
    int8_t outputs[PIXELS * CHANNELS];
    sum_4x4(w, piece, p->from + i, sums);
    scale_sums(v->requant->rule, &tables_of(w, piece)->channels, sums, PIXELS);
    vst1q_s8(outputs, limited(sums, v->requant));
    store_block(outputs, p->to + i, pixels < PIXELS ? pixels : PIXELS, first,
                v->output.channels - first);
}

#endif

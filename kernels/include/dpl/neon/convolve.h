/* Convolution, any window: strips of pixels by all output channels of a group. The outputs may be
 * every so many rows and columns of a tensor. Included behind the blocks of a type, block_s8.h or
 * block_s16.h; tensors are taken as bytes. A strip's windows stay in the first cache while the
 * weights pass once. */
#ifndef DPL_NEON_CONVOLVE_H
#define DPL_NEON_CONVOLVE_H

#include "dpl/cores.h"
#include "dpl/neon/gather.h"

/* The strip's pixels by the channels of a piece, which are `first` and on. */
static inline void run_piece(const convolution *v, const int8_t *piece, const strip_pixels *p,
                             int32_t first);

static inline void convolve_strip(const convolution *v, const strip_pixels *p) {
    const int8_t *piece = v->weights.pieces + v->pieces.begin * v->weights.piece_bytes;
    for (int32_t j = v->pieces.begin; j < v->pieces.end; j++, piece += v->weights.piece_bytes) {
        run_piece(v, piece, p, j * CHANNELS);
    }
}

/* Items of the core that has most. */
static inline int32_t most_of(int32_t items) {
    return (items + DPL_CORE_COUNT - 1) / DPL_CORE_COUNT;
}

/* Cores share blocks of pixels, or pieces of weights where that spreads the work better by a tenth:
 * each then makes all copies. */
static inline void share_work(convolution *v) {
    const int32_t pixels = v->rows.count * v->columns.count;
    const int32_t blocks = (pixels + PIXELS - 1) / PIXELS;
    const int32_t pieces = (v->output.channels / ELEMENT_BYTES + CHANNELS - 1) / CHANNELS;
    const dpl_share all_pixels = {0, pixels}, all_pieces = {0, pieces};
    v->pixels = all_pixels;
    v->pieces = all_pieces;
    if ((int64_t)9 * most_of(blocks) * pieces > (int64_t)10 * most_of(pieces) * blocks) {
        v->pieces = dpl_core_share(pieces);
        return;
    }
    v->pixels = dpl_core_share(blocks);
    v->pixels.begin *= PIXELS;
    v->pixels.end = v->pixels.end == blocks ? pixels : v->pixels.end * PIXELS;
}

/* Of `pixels` those whose windows fit a strip's bytes, or a block. */
static inline int32_t strip_of(int32_t steps, int32_t pixels) {
    const int32_t fit = DPL_WINDOW_STRIP_BYTES / (steps * STEP_BYTES);
    const int32_t blocks = fit < PIXELS ? PIXELS : fit - fit % PIXELS;
    const int32_t strip = blocks < DPL_WINDOW_STRIP_PIXELS ? blocks : DPL_WINDOW_STRIP_PIXELS;
    return strip < pixels ? strip : pixels;
}

/* Bytes of the windows of a strip, of so many bytes of channels. */
static inline int32_t strip_bytes(const convolution *v, int32_t channels) {
    const int32_t values = v->window.kernel_height * v->window.kernel_width * channels;
    const int32_t steps = (values + STEP_BYTES - 1) / STEP_BYTES;
    return strip_of(steps, v->rows.count * v->columns.count) * steps * STEP_BYTES;
}

/* A group, whose weights begin at `weights`; returns where the next one's do. */
static inline const int8_t *convolve_group(convolution *v, const int8_t *weights) {
    const dpl_window *w = &v->window;
    v->weights = unpack_weights(weights, w->kernel_height * w->kernel_width * v->input.channels,
                                v->output.channels / ELEMENT_BYTES);
    v->strip = strip_of(v->weights.steps, v->rows.count * v->columns.count);
    v->copies = (int8_t *)v->scratch + dpl_core_id() * v->core_bytes;
    share_work(v);
    for (int32_t first = v->pixels.begin; first < v->pixels.end; first += v->strip) {
        const int32_t left = v->pixels.end - first;
        strip_pixels p;
        gather_strip(v, first, left < v->strip ? left : v->strip, &p);
        convolve_strip(v, &p);
    }
    return weights + v->weights.bytes;
}

/* All groups of whole tensors in `v`; returns what is behind their weights. */
static inline const int8_t *convolve(convolution *v, int32_t groups, const int8_t *weights) {
    v->input.channels /= groups;
    v->output.channels /= groups;
    for (int32_t g = 0; g < groups; g++) {
        weights = convolve_group(v, weights);
        v->input.data += v->input.channels;
        v->output.data += v->output.channels;
    }
    return weights;
}

#endif

/* Convolution of int8, one group, any window: strips of pixels by all output channels.
 *
 * A strip's windows are copied one behind the other, unless a pixel is its own window, and stay in
 * the first cache while the weights pass once. A strip of fewer pixels than a block repeats the
 * last one. */
#ifndef DPL_NEON_CONVOLVE_S8_H
#define DPL_NEON_CONVOLVE_S8_H

#include "dpl/conv2d.h"
#include "dpl/cores.h"
#include "dpl/neon/block_s8.h"
#include "dpl/neon/copies.h"
#include "dpl/neon/outputs_s8.h"

typedef struct {
    const dpl_conv2d_s8_args *a;
    int32_t strip; /* pixels of one */
    packed_weights weights;
} convolution;

/* Where the windows of a strip begin, and its pixels of the output. */
typedef struct {
    const int8_t *from[DPL_STRIP_PIXELS + PIXELS];
    int8_t *to[DPL_STRIP_PIXELS];
    int32_t count;
} strip_pixels;

/* Four pixels and channels from `first` on. */
static inline void store_block(const int8_t *outputs, int8_t *const *to, int32_t pixels,
                               int32_t first, int32_t channels) {
    for (int32_t i = 0; i < pixels; i++, outputs += CHANNELS) {
        if (channels >= CHANNELS) {
            __builtin_memcpy(to[i] + first, outputs, CHANNELS);
            continue;
        }
        for (int32_t c = 0; c < channels; c++) {
            to[i][first + c] = outputs[c];
        }
    }
}

static inline void convolve_strip(const convolution *v, const strip_pixels *p) {
    const dpl_requant *q = &v->a->requant;
    const packed_weights *w = &v->weights;
    const int32_t channels = v->a->output.channels;
    const int8_t *piece = w->pieces;
    for (int32_t first = 0; first < channels; first += CHANNELS, piece += w->piece_bytes) {
        for (int32_t i = 0; i < p->count; i += PIXELS) {
            int32x4_t sums[PIXELS];
            int8_t outputs[PIXELS * CHANNELS];
            sum_4x4(w, piece, p->from + i, sums);
            scale_sums(q->rule, &tables_of(w, piece)->channels, sums, PIXELS);
            vst1q_s8(outputs, limited(sums, q));
            store_block(outputs, p->to + i, p->count - i < PIXELS ? p->count - i : PIXELS, first,
                        channels - first);
        }
    }
}

/* A pixel that is its own window, in whole steps. */
static inline int in_place(const dpl_conv2d_s8_args *a) {
    const dpl_window *w = &a->window;
    const dpl_pads *pads = &w->pads;
    return w->kernel_height == 1 && w->kernel_width == 1 && a->input.channels % STEP == 0 &&
           (pads->top | pads->left | pads->bottom | pads->right) == 0;
}

/* `count` pixels from `first` on. */
static inline void gather_strip(const convolution *v, int32_t first, int32_t count,
                                strip_pixels *p) {
    const dpl_conv2d_s8_args *a = v->a;
    const dpl_window *w = &a->window;
    const int32_t direct = in_place(a);
    int8_t *copy = a->scratch;
    int32_t y = first / a->output.width, x = first % a->output.width;
    dpl_taps taps = dpl_taps_of_row(&a->input, w, y);
    p->count = count;
    for (int32_t i = 0; i < count; i++) {
        dpl_taps_of_column(&taps, &a->input, w, x);
        if (direct) {
            p->from[i] = a->input.data + taps.rows.offset + taps.column;
        } else {
            copy_window(copy, &a->input, w, &taps, (int8_t)a->input_zero);
            p->from[i] = copy;
            copy += v->weights.steps * STEP;
        }
        p->to[i] = dpl_row_s8(&a->output, y) + x * a->output.pixel_pitch;
        if (++x == a->output.width) {
            x = 0;
            taps = dpl_taps_of_row(&a->input, w, ++y < a->output.height ? y : 0);
        }
    }
    for (int32_t i = count; i % PIXELS != 0; i++) {
        p->from[i] = p->from[count - 1];
    }
}

static inline void convolve(const dpl_conv2d_s8_args *a) {
    const dpl_window *w = &a->window;
    const int32_t values = w->kernel_height * w->kernel_width * a->input.channels;
    convolution v = {a, DPL_STRIP_PIXELS, unpack_weights(a->weights, values)};
    const int32_t fit = DPL_STRIP_BYTES / (v.weights.steps * STEP);
    const int32_t pixels = a->output.height * a->output.width;
    if (fit < v.strip) {
        v.strip = fit < PIXELS ? PIXELS : fit - fit % PIXELS;
    }
    for (int32_t first = 0; first < pixels; first += v.strip) {
        strip_pixels p;
        gather_strip(&v, first, pixels - first < v.strip ? pixels - first : v.strip, &p);
        convolve_strip(&v, &p);
    }
}

#endif

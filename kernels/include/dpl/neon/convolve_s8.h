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
    int32_t steps;   /* of a window */
    int32_t strip;   /* pixels of one */
    int32_t chained; /* whether two products fit 16 bits */
    const int8_t *weights;
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
    const int32_t channels = v->a->output.channels;
    const int8_t *weights = v->weights;
    for (int32_t first = 0; first < channels; first += CHANNELS) {
        const int8_t *tables = weights + v->steps * CHANNELS * STEP;
        for (int32_t i = 0; i < p->count; i += PIXELS) {
            int32x4_t sums[PIXELS];
            int8_t outputs[PIXELS * CHANNELS];
            (v->chained ? sum_4x4 : sum_4x4_wide)(p->from + i, weights, v->steps, sums);
            scale_sums(q->rule, (const four_channels *)(const void *)tables, sums, PIXELS);
            vst1q_s8(outputs, limited(sums, q));
            store_block(outputs, p->to + i, p->count - i < PIXELS ? p->count - i : PIXELS, first,
                        channels - first);
        }
        weights += piece_bytes(v->steps);
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
            copy += v->steps * STEP;
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
    const int32_t steps = (values + STEP - 1) / STEP, fit = DPL_STRIP_BYTES / (steps * STEP);
    const int32_t fewest = fit < PIXELS ? PIXELS : fit - fit % PIXELS;
    const int32_t *header = (const int32_t *)(const void *)a->weights;
    const convolution v = {a, steps, fewest < DPL_STRIP_PIXELS ? fewest : DPL_STRIP_PIXELS,
                           header[0], a->weights + DPL_WEIGHT_HEADER_BYTES};
    const int32_t pixels = a->output.height * a->output.width;
    for (int32_t first = 0; first < pixels; first += v.strip) {
        strip_pixels p;
        gather_strip(&v, first, pixels - first < v.strip ? pixels - first : v.strip, &p);
        convolve_strip(&v, &p);
    }
}

#endif

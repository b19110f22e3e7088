/* Convolution, any window: strips of pixels by all output channels of a group. The outputs may be
 * every so many rows and columns of a tensor. Included behind the blocks of a type, block_s8.h or
 * block_s16.h; tensors are taken as bytes.
 *
 * A strip's windows are copied one behind the other, unless a pixel is its own window, and stay in
 * the first cache while the weights pass once. A strip of fewer pixels than a block repeats the
 * last one. */
#ifndef DPL_NEON_CONVOLVE_H
#define DPL_NEON_CONVOLVE_H

#include "dpl/cores.h"
#include "dpl/neon/copies.h"
#include "dpl/requant.h"
#include "dpl/window.h"

/* Channels that a pixel is read by where it lies. */
#ifndef IN_PLACE_BYTES
#define IN_PLACE_BYTES STEP_BYTES
#endif

/* Every `step`th of the output's rows or columns from `first` on, `count` of them. */
typedef struct {
    int32_t first, step, count;
} stripes;

/* What a call states of its outputs. */
#ifndef SET_RULE
#define SET_RULE(V, A) ((V)->input_zero = (A)->input_zero, (V)->requant = &(A)->requant)
typedef const dpl_requant *output_rule;
#endif

typedef struct {
    dpl_tensor_s8 input, output; /* of a group, channels and pitches in bytes */
    dpl_window window;
    int32_t input_zero;
    output_rule requant; /* of floats the bounds */
    void *scratch;
    stripes rows, columns;
    packed_weights weights;
    dpl_share pixels, pieces; /* of this core */
    int32_t core_bytes;       /* of the windows of one: equal for all that a call convolves, since
                               * cores do not wait for each other in between */
    int8_t *copies;           /* its windows */
    int32_t strip;            /* pixels of one */
} convolution;

/* Where the windows of a strip begin, and its pixels of the output. */
typedef struct {
    const int8_t *from[DPL_WINDOW_STRIP_PIXELS + PIXELS];
    int8_t *to[DPL_WINDOW_STRIP_PIXELS];
    int32_t count;
} strip_pixels;

/* The strip's pixels by the channels of a piece, which are `first` and on. */
static inline void run_piece(const convolution *v, const int8_t *piece, const strip_pixels *p,
                             int32_t first);

static inline void convolve_strip(const convolution *v, const strip_pixels *p) {
    const int8_t *piece = v->weights.pieces + v->pieces.begin * v->weights.piece_bytes;
    for (int32_t j = v->pieces.begin; j < v->pieces.end; j++, piece += v->weights.piece_bytes) {
        run_piece(v, piece, p, j * CHANNELS);
    }
}

/* A pixel that is its own window, in whole steps. */
static inline int in_place(const convolution *v) {
    const dpl_window *w = &v->window;
    const dpl_pads *pads = &w->pads;
    return w->kernel_height == 1 && w->kernel_width == 1 &&
           v->input.channels % IN_PLACE_BYTES == 0 &&
           (pads->top | pads->left | pads->bottom | pads->right) == 0;
}

/* `count` pixels from `first` on. A transposed convolution may have outputs beyond all inputs. */
static inline void gather_strip(const convolution *v, int32_t first, int32_t count,
                                strip_pixels *p) {
    const dpl_window *w = &v->window;
    const int32_t direct = in_place(v), width = v->columns.count;
    int8_t *copy = v->copies;
    int32_t y = first / width, x = first % width;
    dpl_taps taps = dpl_taps_of_row(&v->input, w, y);
    int8_t *row = dpl_row_s8(&v->output, v->rows.first + y * v->rows.step);
    p->count = count;
    for (int32_t i = 0; i < count; i++) {
        dpl_taps_of_column(&taps, &v->input, w, x);
        if (direct && dpl_taps_count(&taps) > 0) {
            p->from[i] = v->input.data + taps.rows.offset + taps.column;
        } else {
            copy_window(copy, &v->input, w, &taps, (int8_t)v->input_zero);
            p->from[i] = copy;
            copy += v->weights.steps * STEP_BYTES;
        }
        p->to[i] = row + (v->columns.first + x * v->columns.step) * v->output.pixel_pitch;
        if (++x == width && i + 1 < count) {
            x = 0;
            taps = dpl_taps_of_row(&v->input, w, ++y);
            row = dpl_row_s8(&v->output, v->rows.first + y * v->rows.step);
        }
    }
    for (int32_t i = count; i % PIXELS != 0; i++) {
        p->from[i] = p->from[count - 1];
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

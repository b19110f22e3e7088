/* Convolution of int16 with many channels and few outputs a group: products in lanes.
 *
 * Eight pixels go through the taps of their windows together; those outside the input read zeros.
 * Eight values of a pixel are a vector, loaded in two cycles, three where it is not in whole
 * halves, that every output multiplies in two: of two outputs 8 * (2 + 4) + 4 cycles for 128
 * products. Nothing is copied. Lanes are added up once a pixel and output.
 *
 * A step that a tap's channels do not fill begins earlier, with weights of zero for what the one
 * before it had. */
#ifndef DPL_NEON_DEEP_S16_H
#define DPL_NEON_DEEP_S16_H

#include "dpl/cores.h"
#include "dpl/neon/lanes_s8.h"
#include "dpl/neon/plane_elements_s16.h"
#include "dpl/neon/planes_outputs.h"
#include "dpl/neon/planes_stores.h"
#include "dpl/neon/stripes.h"
#include "dpl/window.h"

#define PIXELS DPL_PLANE_PIXELS
#define STEP DPL_WIDE_STEP_VALUES
#define OUTPUTS DPL_DEEP_OUTPUTS /* of a piece */

typedef struct {
    dpl_tensor_s8 input, output; /* of all groups, channels and pitches in bytes */
    dpl_window window;
    int32_t input_zero; /* 0 */
    output_rule requant;
    void *scratch;
    stripes rows, columns;
    int32_t core_bytes;
    int32_t depth, outputs, steps; /* of a group */
    const int16_t *zeros;          /* what a tap outside the input reads */
} convolution;

/* Eight pixels: where in the output, and the input row and column of their first tap. */
typedef struct {
    int32_t to[PIXELS], y[PIXELS], x[PIXELS];
} deep_pixels;

typedef struct {
    const int16_t *weights;
    const channel_table *tables;
    plane_limits limits;
    int8_t *out;
    const int8_t *in; /* the group's first channel */
} deep_piece;

/* Of a core: as many zeros as a group has channels. */
static inline int32_t strip_bytes(const convolution *v, int32_t channels) {
    (void)v;
    return (channels + 15) / 16 * 16;
}

/* From pixel `first` on; behind the last of all it comes again. */
static inline void list_pixels(const convolution *v, int32_t first, deep_pixels *p) {
    const dpl_window *w = &v->window;
    const int32_t last = v->rows.count * v->columns.count - 1;
    for (int32_t i = 0; i < PIXELS; i++) {
        const int32_t pixel = first + i < last ? first + i : last;
        const int32_t y = pixel / v->columns.count, x = pixel - y * v->columns.count;
        const int8_t *row = dpl_row_s8(&v->output, v->rows.first + y * v->rows.step);
        p->to[i] = (int32_t)(row - v->output.data) +
                   (v->columns.first + x * v->columns.step) * v->output.pixel_pitch;
        p->y[i] = y * w->stride_height - w->pads.top;
        p->x[i] = x * w->stride_width - w->pads.left;
    }
}

/* How far behind the first row the pixels read kernel row `y`; -1 outside the input. */
static inline int list_rows(const convolution *v, const deep_pixels *p, int32_t y, int64_t *row) {
    int any = 0;
    for (int i = 0; i < PIXELS; i++) {
        const int inside = (uint32_t)(p->y[i] + y) < (uint32_t)v->input.height;
        row[i] = inside ? dpl_row_s8(&v->input, p->y[i] + y) - v->input.data : -1;
        any |= inside;
    }
    return any;
}

/* Where they read column `x` of it; returns whether one of them reads the input. */
INLINED int list_taps(const convolution *v, const deep_pixels *p, const int8_t *in,
                      const int64_t *row, int32_t x, const int16_t **from) {
    const int32_t width = v->input.width, pitch = v->input.pixel_pitch;
    int any = 0;
    UNROLLED for (int i = 0; i < PIXELS; i++) {
        const int32_t column = p->x[i] + x;
        const int inside = ((uint32_t)column < (uint32_t)width) & (row[i] >= 0);
        const int64_t at = inside ? row[i] + (int64_t)column * pitch : 0;
        from[i] = inside ? (const int16_t *)(const void *)(in + at) : v->zeros;
        any |= inside;
    }
    return any;
}

/* Value `at` and on of a tap by `outputs` outputs, a constant. */
INLINED void add_step(const int16_t *const *from, int64_t at, const int16_t *weights, int outputs,
                      int32x4_t *lanes) {
    int16x8_t w[OUTPUTS];
    UNROLLED for (int c = 0; c < outputs; c++) {
        w[c] = vld1q_s16(weights + c * STEP);
    }
    UNROLLED for (int i = 0; i < PIXELS; i++) {
        const int16x8_t x = vld1q_s16(from[i] + at);
        UNROLLED for (int c = 0; c < outputs; c++) {
            int32x4_t *sum = lanes + c * PIXELS + i;
            *sum = vmlal_s16(*sum, vget_low_s16(x), vget_low_s16(w[c]));
#ifdef __aarch64__
            *sum = vmlal_high_s16(*sum, x, w[c]);
#else
            *sum = vmlal_s16(*sum, vget_high_s16(x), vget_high_s16(w[c]));
#endif
        }
    }
}

INLINED void sum_taps(const convolution *v, const deep_piece *piece, const deep_pixels *p,
                      int outputs, int32x4_t *lanes) {
    const dpl_window *window = &v->window;
    const int32_t whole = v->depth - v->depth % STEP, step = outputs * STEP;
    const int16_t *weights = piece->weights;
    UNROLLED for (int i = 0; i < PIXELS * outputs; i++) {
        lanes[i] = vdupq_n_s32(0);
    }
    for (int32_t ky = 0; ky < window->kernel_height; ky++) {
        int64_t row[PIXELS];
        if (!list_rows(v, p, ky * window->dilation_height, row)) {
            weights += window->kernel_width * v->steps * step;
            continue;
        }
        for (int32_t kx = 0; kx < window->kernel_width; kx++) {
            const int16_t *from[PIXELS], *w = weights;
            weights += v->steps * step;
            if (!list_taps(v, p, piece->in, row, kx * window->dilation_width, from)) {
                continue;
            }
            for (int64_t at = 0; at < whole; at += STEP, w += step) {
                add_step(from, at, w, outputs, lanes);
            }
            if (w < weights) {
                add_step(from, v->depth - STEP, w, outputs, lanes);
            }
        }
    }
}

INLINED void run_pixels(const convolution *v, const deep_piece *piece, const deep_pixels *p,
                        int outputs) {
    int32x4_t lanes[PIXELS * OUTPUTS], low[MOST_CHANNELS], high[MOST_CHANNELS];
    int16x8_t made[MOST_CHANNELS];
    sum_taps(v, piece, p, outputs, lanes);
    UNROLLED for (int c = 0; c < outputs; c++) {
        const int32x4_t bias = vdupq_n_s32(piece->tables[c].bias);
        low[c] = vaddq_s32(sums_of(lanes + c * PIXELS), bias);
        high[c] = vaddq_s32(sums_of(lanes + c * PIXELS + PIXELS / 2), bias);
    }
    finish_sums(&piece->limits, piece->tables, outputs, low, high, made);
    store_block(made, outputs, piece->out, p->to);
}

static inline int32_t piece_bytes(const convolution *v, int32_t outputs) {
    const int32_t taps = v->window.kernel_height * v->window.kernel_width;
    return outputs * (taps * v->steps * STEP * ELEMENT_BYTES + (int32_t)sizeof(channel_table));
}

/* Bytes of a group's pieces: of two outputs each, and of one that is left. */
static inline int32_t group_bytes(const convolution *v) {
    return v->outputs / OUTPUTS * piece_bytes(v, OUTPUTS) + piece_bytes(v, v->outputs % OUTPUTS);
}

/* Output `first` of a group and the next, of eight pixels. */
static void run_piece(const convolution *v, const int8_t *weights, int32_t group, int32_t first,
                      const deep_pixels *p) {
    const int32_t left = v->outputs - first, outputs = left < OUTPUTS ? left : OUTPUTS;
    const int8_t *at = weights + first / OUTPUTS * piece_bytes(v, OUTPUTS);
    const int8_t *end = at + piece_bytes(v, outputs);
    const channel_table *tables = (const channel_table *)(const void *)end - outputs;
    const plane_limits limits = limits_of(v->requant, tables, outputs);
    const deep_piece piece = {(const int16_t *)(const void *)at, tables, limits,
                              v->output.data + (group * v->outputs + first) * ELEMENT_BYTES,
                              v->input.data + group * v->depth * ELEMENT_BYTES};
    if (outputs == OUTPUTS) {
        run_pixels(v, &piece, p, OUTPUTS);
    } else {
        run_pixels(v, &piece, p, 1);
    }
}

static inline void clear_zeros(convolution *v) {
    int16_t *zeros = (int16_t *)(void *)((int8_t *)v->scratch + dpl_core_id() * v->core_bytes);
    int32_t zero = 0;
    __asm__("" : "+r"(zero)); /* of a constant gcc would make a call of memset */
    for (int32_t i = 0; i < v->depth; i++) {
        zeros[i] = (int16_t)zero;
    }
    v->zeros = zeros;
}

/* All groups of whole tensors in `v`, cores share blocks of pixels of groups; returns what is
 * behind their weights. */
static inline const int8_t *convolve(convolution *v, int32_t groups, const int8_t *weights) {
    const int32_t blocks = (v->rows.count * v->columns.count + PIXELS - 1) / PIXELS;
    const dpl_share share = dpl_core_share(blocks * groups);
    v->depth = v->input.channels / ELEMENT_BYTES / groups;
    v->outputs = v->output.channels / ELEMENT_BYTES / groups;
    v->steps = (v->depth + STEP - 1) / STEP;
    clear_zeros(v);
    for (int32_t i = share.begin; i < share.end; i++) {
        const int32_t group = i / blocks;
        deep_pixels p;
        list_pixels(v, i % blocks * PIXELS, &p);
        for (int32_t first = 0; first < v->outputs; first += OUTPUTS) {
            run_piece(v, weights + group * group_bytes(v), group, first, &p);
        }
    }
    return weights + groups * group_bytes(v);
}

#endif

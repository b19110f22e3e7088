/* Convolution with many channels and few outputs a group: products in lanes. Included behind the
 * elements of a type, deep_s8.h or deep_s16.h.
 *
 * Eight pixels go through the taps of their windows together; those outside the input read zero
 * points. Eight values of a pixel are a vector, loaded in two cycles, three where it is not in
 * whole halves, that every output multiplies in two: of two outputs 8 * (2 + 4) + 4 cycles for 128
 * products. Of int8 a cycle loads them and one takes the zero point away, so that taps that no
 * pixel has are left out. Nothing is copied. Lanes are added up once a pixel and output.
 *
 * A step that a tap's channels do not fill begins earlier, with weights of zero for what the one
 * before it had. */
#ifndef DPL_NEON_DEEP_H
#define DPL_NEON_DEEP_H

#include "dpl/cores.h"
#include "dpl/neon/eight_taps.h"
#include "dpl/neon/lanes_s8.h"
#include "dpl/neon/planes_outputs.h"
#include "dpl/neon/planes_stores.h"

#define STEP DPL_WIDE_STEP_VALUES
#define OUTPUTS DPL_DEEP_OUTPUTS /* of a piece */

typedef struct {
    const int16_t *weights;
    const channel_table *tables;
    plane_limits limits;
    int8_t *out;
    const int8_t *in; /* the group's first channel */
} deep_piece;

/* Of a core: as many zero points as a group has channels. */
static inline int32_t strip_bytes(const convolution *v, int32_t channels) {
    (void)v;
    return (channels + 15) / 16 * 16;
}

/* Eight values of a pixel by those of an output. */
INLINED int32x4_t add_products(int32x4_t sum, int16x8_t x, int16x8_t w) {
    sum = vmlal_s16(sum, vget_low_s16(x), vget_low_s16(w));
#ifdef __aarch64__
    return vmlal_high_s16(sum, x, w);
#else
    return vmlal_s16(sum, vget_high_s16(x), vget_high_s16(w));
#endif
}

/* The values `at` bytes on in a tap by `outputs` outputs, a constant. */
INLINED void add_step(const int8_t *const *from, int64_t at, deep_zero zero, const int16_t *weights,
                      int outputs, int32x4_t *lanes) {
    int16x8_t w[OUTPUTS];
    UNROLLED for (int c = 0; c < outputs; c++) {
        w[c] = vld1q_s16(weights + c * STEP);
    }
    UNROLLED for (int i = 0; i < PIXELS; i++) {
        const int16x8_t x = above_zero(from[i] + at, zero);
        UNROLLED for (int c = 0; c < outputs; c++) {
            lanes[c * PIXELS + i] = add_products(lanes[c * PIXELS + i], x, w[c]);
        }
    }
}

/* All values of a tap. */
INLINED void add_tap(const int8_t *const *from, int64_t bytes, deep_zero zero,
                     const int16_t *weights, int outputs, int32x4_t *lanes) {
    const int64_t step = STEP * ELEMENT_BYTES;
    int64_t at = add_values(from, bytes, zero, weights, outputs, lanes);
    for (; at <= bytes - step; at += step, weights += outputs * STEP) {
        add_step(from, at, zero, weights, outputs, lanes);
    }
    if (at < bytes) {
        add_step(from, bytes - step, zero, weights, outputs, lanes);
    }
}

INLINED void sum_taps(const convolution *v, const deep_piece *piece, const deep_pixels *p,
                      int outputs, int32x4_t *lanes) {
    const dpl_window *window = &v->window;
    const int64_t bytes = (int64_t)v->depth * ELEMENT_BYTES;
    const deep_zero zero = deep_zero_of(v->input_zero);
    const int16_t *weights = piece->weights;
    const int32_t step = v->steps * outputs * STEP;
    UNROLLED for (int i = 0; i < PIXELS * outputs; i++) {
        lanes[i] = vdupq_n_s32(0);
    }
    for (int32_t ky = v->down.begin; ky < v->down.end; ky++) {
        const int32_t y = ky * window->dilation_height;
        const int16_t *w = weights + (ky * v->tap_down + v->across.begin * v->tap_across) * step;
        deep_row row;
        if (p->y[PIXELS - 1] + y < 0 || p->y[0] + y >= v->input.height) {
            continue;
        }
        find_row(v, p, y, &row);
        for (int32_t kx = v->across.begin; kx < v->across.end; kx++, w += v->tap_across * step) {
            const int8_t *from[PIXELS];
            list_taps(v, piece->in, p, &row, kx * window->dilation_width, from);
            add_tap(from, bytes, zero, w, outputs, lanes);
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
    store_block(made, piece->limits.within, outputs, piece->out, p->to,
                v->columns.step * v->output.pixel_pitch);
}

static inline int32_t piece_bytes(const convolution *v, int32_t outputs) {
    const int32_t taps = v->window.kernel_height * v->window.kernel_width;
    return outputs * (taps * v->steps * STEP * 2 + (int32_t)sizeof(channel_table));
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

/* Of `taps` those that lie inside an input of `extent` for the first or the last of `count`
 * outputs, or between. */
static inline dpl_share taps_inside(int32_t taps, int32_t stride, int32_t dilation, int32_t pad,
                                    int32_t count, int32_t extent) {
    dpl_share inside = {0, taps};
    while (inside.begin < taps && inside.begin * dilation + (count - 1) * stride < pad) {
        inside.begin++;
    }
    while (inside.end > inside.begin && (inside.end - 1) * dilation - pad >= extent) {
        inside.end--;
    }
    return inside;
}

/* All groups of whole tensors in `v`, cores share groups of blocks of pixels; returns what is
 * behind their weights. */
static inline const int8_t *convolve(convolution *v, int32_t groups, const int8_t *weights) {
    const int32_t blocks = (v->rows.count * v->columns.count + PIXELS - 1) / PIXELS;
    const dpl_share share = dpl_core_share(blocks * groups);
    v->depth = v->input.channels / ELEMENT_BYTES / groups;
    v->outputs = v->output.channels / ELEMENT_BYTES / groups;
    v->steps = (v->depth + STEP - 1) / STEP;
    const dpl_window *w = &v->window;
    deep_pixels p;
    v->tap_down = w->kernel_width;
    v->tap_across = 1;
    if (v->columns.count == 1 && (v->input.ring_height | v->output.ring_height) == 0) {
        turn(v);
        swap(&v->tap_down, &v->tap_across);
    }
    v->down = taps_inside(w->kernel_height, w->stride_height, w->dilation_height, w->pads.top,
                          v->rows.count, v->input.height);
    v->across = taps_inside(w->kernel_width, w->stride_width, w->dilation_width, w->pads.left,
                            v->columns.count, v->input.width);
    clear_zeros(v, (int8_t *)v->scratch + dpl_core_id() * v->core_bytes, v->depth * ELEMENT_BYTES);
    for (int32_t i = share.begin; i < share.end; i++) {
        const int32_t group = i % groups;
        if (i == share.begin || group == 0) {
            list_pixels(v, i / groups * PIXELS, &p);
        }
        for (int32_t first = 0; first < v->outputs; first += OUTPUTS) {
            run_piece(v, weights + group * group_bytes(v), group, first, &p);
        }
    }
    return weights + groups * group_bytes(v);
}

#endif

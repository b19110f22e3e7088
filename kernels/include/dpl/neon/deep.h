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
#include "dpl/neon/lanes_s8.h"
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
    int32_t input_zero;
    output_rule requant;
    void *scratch;
    stripes rows, columns;
    int32_t core_bytes;
    int32_t depth, outputs, steps; /* of a group */
    dpl_share down, across;        /* taps that an output meets the input by */
    int32_t tap_down, tap_across;  /* from a tap to the next one's weights, in taps */
    const int8_t *zeros;           /* what a tap outside the input reads: zero points */
} convolution;

#include "dpl/neon/turn.h"

/* Eight pixels: where in the output, and the input row and column of their first tap, which is `at`
 * behind the input's first pixel, but for rings; columns of all are from `left` to `right`. */
typedef struct {
    int32_t to[PIXELS], y[PIXELS], x[PIXELS];
    int32_t left, right;
    int64_t at[PIXELS];
} deep_pixels;

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

static inline int32_t output_row(const convolution *v, int32_t y) {
    const int8_t *row = dpl_row_s8(&v->output, v->rows.first + y * v->rows.step);
    return (int32_t)(row - v->output.data) + v->columns.first * v->output.pixel_pitch;
}

/* Where output pixel 0 of row `y` is, and the first tap's row and place. */
static inline void begin_row(const convolution *v, int32_t y, int32_t *to, int32_t *row,
                             int64_t *at) {
    *to = output_row(v, y);
    *row = y * v->window.stride_height - v->window.pads.top;
    *at = (int64_t)*row * v->input.row_pitch - v->window.pads.left * v->input.pixel_pitch;
}

/* From pixel `first` on; behind the last of all it comes again. */
static inline void list_pixels(const convolution *v, int32_t first, deep_pixels *p) {
    const dpl_window *w = &v->window;
    const int32_t step = v->columns.step * v->output.pixel_pitch, last = v->columns.count - 1;
    const int32_t on = w->stride_width * v->input.pixel_pitch;
    int32_t y = first / v->columns.count, x = first - y * v->columns.count, to, row;
    int64_t at;
    begin_row(v, y, &to, &row, &at);
    to += x * step, at += (int64_t)x * on;
    for (int32_t i = 0; i < PIXELS; i++) {
        p->to[i] = to;
        p->y[i] = row;
        p->x[i] = x * w->stride_width - w->pads.left;
        p->at[i] = at;
        if (x < last) {
            x++, to += step, at += on;
        } else if (y < v->rows.count - 1) {
            begin_row(v, ++y, &to, &row, &at);
            x = 0;
        }
    }
    const int within = p->y[0] == p->y[PIXELS - 1];
    if (within && p->to[PIXELS - 1] - p->to[0] == (PIXELS - 1) * step) {
        p->to[1] = IN_LINE;
    }
    p->left = within ? p->x[0] : -w->pads.left;
    p->right = within ? p->x[PIXELS - 1] : last * w->stride_width - w->pads.left;
}

/* Of a kernel row: where pixels read column 0 of its taps, behind the group's first channel, and
 * which column of the input that is, OUTSIDE where the input lacks the row; `whole`: nowhere. */
typedef struct {
    int64_t at[PIXELS];
    int32_t cut[PIXELS];
    const int32_t *x;
    int whole;
} deep_row;

#define OUTSIDE (INT32_MIN / 2) /* from here no tap reaches the input */

/* Rows of a ring do not follow each other. */
static inline void find_ring_rows(const convolution *v, const deep_pixels *p, int32_t y,
                                  deep_row *row) {
    for (int32_t i = 0; i < PIXELS; i++) {
        const int inside = (uint32_t)(p->y[i] + y) < (uint32_t)v->input.height;
        const int8_t *first = inside ? dpl_row_s8(&v->input, p->y[i] + y) : v->input.data;
        row->at[i] = first - v->input.data + (int64_t)p->x[i] * v->input.pixel_pitch;
    }
}

/* Kernel row `y`. */
static inline void find_row(const convolution *v, const deep_pixels *p, int32_t y, deep_row *row) {
    const int64_t down = (int64_t)y * v->input.row_pitch;
    UNROLLED for (int i = 0; i < PIXELS; i++) {
        row->at[i] = p->at[i] + down;
    }
    row->x = p->x;
    row->whole = p->y[0] + y >= 0 && p->y[PIXELS - 1] + y < v->input.height;
    if (!row->whole) {
        for (int i = 0; i < PIXELS; i++) {
            const int inside = (uint32_t)(p->y[i] + y) < (uint32_t)v->input.height;
            row->cut[i] = inside ? p->x[i] : OUTSIDE;
        }
        row->x = row->cut;
    }
    if (v->input.ring_height > 0) {
        find_ring_rows(v, p, y, row);
    }
}

/* `there` if `column` is one of `width`. A branch for each pixel would take longer. */
INLINED const int8_t *inside_or(const int8_t *there, const int8_t *zeros, int32_t column,
                                int32_t width) {
#ifdef __aarch64__
    __asm__("cmp %w[column], %w[width]\n csel %[there], %[there], %[zeros], lo"
            : [there] "+r"(there)
            : [zeros] "r"(zeros), [column] "r"(column), [width] "r"(width)
            : "cc");
    return there;
#else
    return (uint32_t)column < (uint32_t)width ? there : zeros;
#endif
}

/* Where they read column `x` of it. */
INLINED void list_taps(const convolution *v, const int8_t *in, const deep_pixels *p,
                       const deep_row *row, int32_t x, const int8_t **from) {
    const int8_t *tap = in + (int64_t)x * v->input.pixel_pitch;
    UNROLLED for (int i = 0; i < PIXELS; i++) {
        from[i] = tap + row->at[i];
    }
    if (row->whole && p->left + x >= 0 && p->right + x < v->input.width) {
        return;
    }
    UNROLLED for (int i = 0; i < PIXELS; i++) {
        from[i] = inside_or(from[i], v->zeros, row->x[i] + x, v->input.width);
    }
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

static inline void clear_zeros(convolution *v) {
    int8_t *zeros = (int8_t *)v->scratch + dpl_core_id() * v->core_bytes;
    int32_t zero = v->input_zero; /* of int16 0 */
    for (int32_t i = 0; i < v->depth * ELEMENT_BYTES; i++) {
        __asm__("" : "+r"(zero)); /* of bytes that are alike gcc would make a call of memset */
        zeros[i] = (int8_t)zero;
    }
    v->zeros = zeros;
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
    clear_zeros(v);
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

/* Where eight pixels of a convolution read the taps of their windows: nothing is copied, and taps
 * outside the input read zero points. Included behind the elements of a type. */
#ifndef DPL_NEON_EIGHT_TAPS_H
#define DPL_NEON_EIGHT_TAPS_H

#include "dpl/neon/blocking.h"
#include "dpl/neon/plane_places.h"
#include "dpl/neon/stripes.h"
#include "dpl/window.h"

#define PIXELS DPL_PLANE_PIXELS

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
    const int8_t **from;           /* where eight pixels read each tap, if that is listed */
} convolution;

#include "dpl/neon/turn.h"

/* Eight pixels: where in the output, and the input row and column of their first tap, which is `at`
 * behind the input's first pixel, but for rings; columns of all are from `left` to `right`. */
typedef struct {
    int32_t to[PIXELS], y[PIXELS], x[PIXELS];
    int32_t left, right;
    int64_t at[PIXELS];
} deep_pixels;

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

/* `bytes` of them at `zeros`. */
static inline void clear_zeros(convolution *v, int8_t *zeros, int32_t bytes) {
    int32_t zero = v->input_zero; /* of int16 0 */
    for (int32_t i = 0; i < bytes; i++) {
        __asm__("" : "+r"(zero)); /* of bytes that are alike gcc would make a call of memset */
        zeros[i] = (int8_t)zero;
    }
    v->zeros = zeros;
}

#endif

/* Windows of a pool beside one another in a row, four channels at a time (max_windows.S,
 * max_three.S, average_windows.S). */
#ifndef DPL_PULP_POOL_RUN_H
#define DPL_PULP_POOL_RUN_H

#include "dpl/pool.h"
#include "dpl/pulp/bytes.h"
#include "dpl/pulp/pixels.h"
#include "dpl/window.h"

/* The assembler has these offsets, too. All counts are at least 1. */
typedef struct {
    const int8_t *from;   /* the first tap of the first window */
    int32_t taps, pitch;  /* of a row of the window, bytes from one to the next */
    int32_t rows, row;    /* of the window, bytes behind the taps of one to those of the next */
    int32_t pixels, step; /* windows, bytes from one to the next */
    int8_t *out;
    int32_t gap;                         /* bytes between the outputs of two windows */
    int32_t words;                       /* of four channels */
    uint32_t low, high;                  /* in each byte: what the output is cut to */
    int32_t multiplier, rounding, shift; /* of an average: (sum * multiplier + rounding) >> shift */
} dpl_pool_run;

void dpl_max_windows(const dpl_pool_run *r);
void dpl_average_windows(const dpl_pool_run *r);

/* Windows of three columns, two columns apart, and three rows, some of which may be the same. */
typedef struct {
    const int8_t *rows[3]; /* at the first tap of the first window */
    int32_t pitch;         /* bytes from a tap to the one to its right */
    int32_t pixels, words;
    int8_t *out;
    int32_t out_pitch;
    uint32_t low, high;
} dpl_max_threes;

void dpl_max_three(const dpl_max_threes *r);

/* Windows from p on in its row of which no side cuts a column, at most those of this core; 0 when
 * the first is cut. */
static inline int32_t dpl_interior_windows(const dpl_pool_s8_args *a, const dpl_pixels *p) {
    const int32_t stride = a->window.stride_width;
    const int32_t extent = (a->window.kernel_width - 1) * a->window.dilation_width;
    const int32_t first = p->x * stride - a->window.pads.left;
    const int32_t space = a->input.width - 1 - extent - first;
    if (first < 0 || space < 0) {
        return 0;
    }
    const int32_t inside = space / stride + 1, in_row = a->output.width - p->x;
    const int32_t count = inside < in_row ? inside : in_row;
    return count < p->left ? count : p->left;
}

/* Pixels that can be one run: their windows have the columns of `taps`, which is set. */
static inline int32_t dpl_run_pixels(const dpl_pool_s8_args *a, const dpl_pixels *p,
                                     dpl_taps *taps) {
    const int32_t count = dpl_interior_windows(a, p);
    dpl_taps_of_column(taps, &a->input, &a->window, p->x);
    return count > 0 ? count : 1;
}

/* Whether the rows of the window lie one after the other, with no end of a ring between them. */
static inline int dpl_rows_follow(const dpl_taps *taps) {
    const int32_t further = taps->y.end - taps->y.begin - 1;
    return taps->rows.wrap - further * taps->rows.step > taps->rows.offset;
}

/* All but the bounds and what requantizes; dpl_rows_follow, and taps are inside. */
static inline dpl_pool_run dpl_pool_run_of(const dpl_pool_s8_args *a, const dpl_taps *taps,
                                           const dpl_pixels *p, int32_t pixels) {
    const int32_t wide = taps->x.end - taps->x.begin, tall = taps->y.end - taps->y.begin;
    const int32_t words = (p->channels.end - p->channels.begin) >> 2;
    dpl_pool_run r = {.taps = wide, .pitch = taps->pitch, .rows = tall, .words = words};
    r.from = a->input.data + taps->rows.offset + taps->column + p->channels.begin;
    r.row = taps->rows.step - wide * taps->pitch;
    if (r.row == 0) {
        r.taps *= tall;
        r.rows = 1;
    }
    r.pixels = pixels;
    r.step = a->window.stride_width * a->input.pixel_pitch;
    r.out = dpl_pixels_out(p, &a->output) + p->channels.begin;
    r.gap = a->output.pixel_pitch - 4 * words;
    r.low = dpl_bytes_of(a->requant.low);
    r.high = dpl_bytes_of(a->requant.high);
    return r;
}

#endif

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

typedef void dpl_pool_windows(const dpl_pool_run *r);

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

/* All but words and what requantizes; dpl_rows_follow, and taps are inside. */
static inline dpl_pool_run dpl_pool_run_of(const dpl_pool_s8_args *a, const dpl_taps *taps,
                                           const dpl_pixels *p, int32_t pixels) {
    const int32_t wide = taps->x.end - taps->x.begin, tall = taps->y.end - taps->y.begin;
    dpl_pool_run r = {.taps = wide, .pitch = taps->pitch, .rows = tall};
    r.from = a->input.data + taps->rows.offset + taps->column + p->channels.begin;
    r.row = taps->rows.step - wide * taps->pitch;
    if (r.row == 0) {
        r.taps *= tall;
        r.rows = 1;
    }
    r.pixels = pixels;
    r.step = a->window.stride_width * a->input.pixel_pitch;
    r.out = dpl_pixels_out(p, &a->output) + p->channels.begin;
    r.low = dpl_bytes_of(a->requant.low);
    r.high = dpl_bytes_of(a->requant.high);
    return r;
}

/* Whether windows lie a column apart and pixels have no bytes between them, nor whole words: what a
 * window reads of an element then lies where that of the next one does but for a byte, whatever
 * their channels, so that all of the row are as those of one pixel. */
static inline int dpl_are_flat(const dpl_pool_s8_args *a, const dpl_pixels *p) {
    const int32_t channels = p->channels.end - p->channels.begin;
    return a->window.stride_width == 1 && (channels & 3) != 0 && a->input.pixel_pitch == channels &&
           a->output.pixel_pitch == channels;
}

/* Fewer channels than a word has: it has some of the next pixel, too, whose own word follows. How
 * many pixels are done: not the last ones, whose words would reach beyond the run. */
static inline int32_t dpl_pool_few(dpl_pool_run *r, int32_t channels, int32_t out_pitch,
                                   dpl_pool_windows *windows) {
    if (channels <= 0 || out_pitch != channels || r->pixels <= 3 / channels) {
        return 0;
    }
    r->pixels -= 3 / channels;
    r->words = 1;
    r->gap = out_pitch - 4;
    windows(r);
    return r->pixels;
}

/* Pixels in words of channels, and once more the last four where words leave some. How many are
 * done, from the first one on; `r` is changed. */
static inline int32_t dpl_pool_in_words(dpl_pool_run *r, const dpl_pool_s8_args *a,
                                        const dpl_pixels *p, dpl_pool_windows *windows) {
    const int32_t done = r->pixels, pitch = a->output.pixel_pitch;
    int32_t elements = p->channels.end - p->channels.begin;
    if (dpl_are_flat(a, p) && elements * done >= 4) {
        elements *= done;
        r->pixels = 1;
    }
    if (elements < 4) {
        return dpl_pool_few(r, elements, pitch, windows);
    }
    r->words = elements >> 2;
    for (;;) {
        r->gap = pitch - 4 * r->words;
        windows(r);
        if ((elements & 3) == 0) {
            return done;
        }
        r->from += elements - 4;
        r->out += elements - 4;
        r->words = 1;
        elements = 4;
    }
}

#endif

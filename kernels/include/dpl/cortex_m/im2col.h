/* im2col: windows of three output pixels, interleaved for block_2x3.
 *
 * For every four values of a window a triple holds six words: one of two values for columns 0, 1, 2
 * each, then one of the other two. Values are in the order of the weights (row, column, channel),
 * their number rounded up to a multiple of four; what is beyond meets weights of zero. Which two
 * share a word, columns.h or columns_s16.h says, included before this: each has `element`, ALIGNED
 * and the functions called here. */
#ifndef DPL_CORTEX_M_IM2COL_H
#define DPL_CORTEX_M_IM2COL_H

#include "dpl/cortex_m/block.h"

typedef struct {
    const tensor *input;
    const dpl_window *window;
    int32_t zero;    /* what a tap outside reads */
    int32_t depth;   /* values of a tap */
    int32_t row;     /* values of a kernel row */
    int32_t padded;  /* values of a window, rounded up */
    int32_t aligned; /* whether runs of taps begin and end at multiples of ALIGNED */
    int32_t run;     /* values that lie next to one another: of a kernel row or of a tap, */
    int32_t pitch;   /* elements from one such run to the next */
    element *values; /* of windows that are not aligned: room for three, and a word behind each */
} dpl_columns;

/* Whether all values of a window lie next to one another. */
static inline int is_one_run(const dpl_columns *c) {
    return c->window->kernel_height == 1 && c->run == c->row;
}

/* `n` values of a kernel row, all inside. */
static inline uint32_t *widen_taps(const dpl_columns *c, const element *from, uint32_t *to,
                                   int32_t n) {
    if (c->run == c->row) {
        return widen(from, to, n);
    }
    for (; n > 0; n -= c->run, from += c->pitch) {
        to = widen(from, to, c->run);
    }
    return to;
}

static inline element *copy_taps(const dpl_columns *c, const element *from, element *to,
                                 int32_t n) {
    const int32_t run = n < c->run ? n : c->run;
    for (; n > 0; n -= run, from += c->pitch) {
        to = copy_values(to, from, run);
    }
    return to;
}

static __attribute__((noinline)) element *fill_taps(const dpl_columns *c, element *to, int32_t n) {
    return fill_values(to, c->zero, n);
}

/* Taps inside the input widened straight from it, the others filled. */
static inline void aligned_column(const dpl_columns *c, const dpl_taps *taps, uint32_t *to) {
    const uint32_t zero = (uint32_t)(uint16_t)c->zero * 0x10001u;
    const int32_t left = taps->x.begin * c->depth, inside = taps->x.end * c->depth - left;
    dpl_row_walk rows = taps->rows;
    for (int32_t y = 0; y < c->window->kernel_height; y++) {
        if (y < taps->y.begin || y >= taps->y.end) {
            to = fill(to, zero, c->row);
            continue;
        }
        to = fill(to, zero, left);
        to = widen_taps(c, c->input->data + rows.offset + taps->column, to, inside);
        to = fill(to, zero, c->row - left - inside);
        dpl_next_row(&rows);
    }
}

/* A window's values, with zero points for taps outside: those above and below at once. */
static inline void border_values(const dpl_columns *c, const dpl_taps *taps) {
    const int32_t left = taps->x.begin * c->depth, inside = taps->x.end * c->depth - left;
    const int32_t below = c->window->kernel_height - taps->y.end;
    const element *from = c->input->data + taps->column;
    dpl_row_walk rows = taps->rows;
    element *at = fill_taps(c, c->values, taps->y.begin * c->row);
    for (int32_t y = taps->y.begin; y < taps->y.end; y++, dpl_next_row(&rows)) {
        if (inside < c->row) {
            at = fill_taps(c, at, left);
        }
        at = copy_taps(c, from + rows.offset, at, inside);
        if (inside < c->row) {
            at = fill_taps(c, at, c->row - left - inside);
        }
    }
    fill_taps(c, at, below * c->row);
}

/* Through a buffer of values, where runs are not multiples of ALIGNED. */
static inline void gathered_column(const dpl_columns *c, const dpl_taps *taps, uint32_t *to) {
    border_values(c, taps);
    widen(c->values, to, c->padded);
}

/* Runs of three windows in whole words: up to ALIGNED - 1 values too many. Those written are
 * written again or meet weights of zero. */
static inline void copy_three(const element *from, int32_t step, element *to, int32_t pitch,
                              int32_t n) {
    for (int32_t i = 0; i < n; i += ALIGNED, from += ALIGNED, to += ALIGNED) {
        const uint32_t p = load_word(from), q = load_word(from + step);
        const uint32_t r = load_word(from + 2 * step);
        store_word(to, p);
        store_word(to + pitch, q);
        store_word(to + 2 * pitch, r);
    }
}

/* A triple of windows that lie inside, `step` apart, and reach no further than a row when their
 * runs are taken in whole words. A window of one run needs no copy: its words are widened where
 * they lie, and three unaligned ones cost 5 cycles where two passes more would take 15. */
static __attribute__((noinline)) void inner_three(const dpl_columns *c, dpl_row_walk rows,
                                                  const element *from, int32_t step, uint32_t *to) {
    const int32_t pitch = c->padded + ALIGNED, direct = c->aligned || is_one_run(c);
    const int32_t values = c->aligned ? c->row : c->padded;
    element *at = c->values;
    for (int32_t y = c->window->kernel_height; y > 0; y--) {
        const element *first = from + rows.offset;
        if (direct) {
            to = widen_three(first, first + step, first + 2 * step, to, values);
        } else {
            copy_three(first, step, at, pitch, c->row);
            at += c->row;
        }
        dpl_next_row(&rows);
    }
    if (!direct) {
        at = c->values;
        widen_three(at, at + pitch, at + 2 * pitch, to, c->padded);
    }
}

/* The same where each tap is a run of its own. */
static __attribute__((noinline)) void apart_three(const dpl_columns *c, dpl_row_walk rows,
                                                  const element *from, int32_t step, uint32_t *to) {
    const int32_t pitch = c->padded + ALIGNED;
    element *at = c->values;
    for (int32_t y = c->window->kernel_height; y > 0; y--, dpl_next_row(&rows)) {
        const element *tap = from + rows.offset;
        for (int32_t x = c->window->kernel_width; x > 0; x--, tap += c->pitch) {
            if (c->aligned) {
                to = widen_three(tap, tap + step, tap + 2 * step, to, c->run);
            } else {
                copy_three(tap, step, at, pitch, c->run);
                at += c->run;
            }
        }
    }
    if (!c->aligned) {
        at = c->values;
        widen_three(at, at + pitch, at + 2 * pitch, to, c->padded);
    }
}

#endif

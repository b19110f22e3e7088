/* im2col of int16: as columns.h, but values are halfwords already and two neighbours share a word
 * (layout "ordered_pairs"): a copy where the runs of a window begin and end at words. */
#ifndef DPL_CORTEX_M_COLUMNS_H
#define DPL_CORTEX_M_COLUMNS_H

#include "dpl/body/s16.h"
#include "dpl/cortex_m/block.h"

enum { ALIGNED = 2 }; /* values of a run that fill words of columns */

typedef struct {
    const dpl_tensor_s16 *input;
    const dpl_window *window;
    int32_t zero;    /* what a tap outside reads */
    int32_t depth;   /* values of a tap */
    int32_t row;     /* values of a kernel row */
    int32_t padded;  /* values of a window, rounded up */
    int32_t aligned; /* whether runs of taps begin and end at words */
    int32_t merged;  /* whether the taps of a kernel row lie next to one another */
    int16_t *values; /* `padded` values for windows that are not aligned */
} dpl_columns;

static inline uint32_t load_pair(const int16_t *at) {
    uint32_t word;
    __builtin_memcpy(&word, at, sizeof word);
    return word;
}

/* n values, a multiple of two. */
static inline uint32_t *widen(const int16_t *from, uint32_t *to, int32_t n) {
#pragma GCC unroll 4
    for (; n > 0; n -= 2, from += 2, to += COLUMNS) {
        to[0] = load_pair(from);
    }
    return to;
}

/* The same of three pixels. */
static inline void widen_three(const int16_t *x, const int16_t *y, const int16_t *z, uint32_t *to,
                               int32_t n) {
#pragma GCC unroll 2
    for (; n > 0; n -= 2, x += 2, y += 2, z += 2, to += COLUMNS) {
        const uint32_t p = load_pair(x), q = load_pair(y), r = load_pair(z);
        to[0] = p;
        to[1] = q;
        to[2] = r;
    }
}

static inline uint32_t *fill(uint32_t *to, uint32_t zero, int32_t n) {
    for (; n > 0; n -= 2, to += COLUMNS) {
        to[0] = zero;
    }
    return to;
}

/* Values of the row from column `left` on, in runs of `run`, to `n` of them. */
static inline uint32_t *widen_runs(const dpl_columns *c, const dpl_taps *taps, const int16_t *from,
                                   uint32_t *to, int32_t n) {
    if (c->merged) {
        return widen(from, to, n);
    }
    for (; n > 0; n -= c->depth, from += taps->pitch) {
        to = widen(from, to, c->depth);
    }
    return to;
}

/* Of a window that lies inside, each kernel row one run. */
static inline void inner_aligned(const dpl_columns *c, dpl_row_walk rows, const int16_t *from,
                                 uint32_t *to) {
    for (int32_t y = c->window->kernel_height; y > 0; y--) {
        to = widen(from + rows.offset, to, c->row);
        dpl_next_row(&rows);
    }
    if (c->padded > c->window->kernel_height * c->row) {
        *to = 0; /* meets weights of zero */
    }
}

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
        to = widen_runs(c, taps, c->input->data + rows.offset + taps->column, to, inside);
        to = fill(to, zero, c->row - left - inside);
        dpl_next_row(&rows);
    }
    if (c->padded > c->window->kernel_height * c->row) {
        *to = 0; /* meets weights of zero */
    }
}

static inline int16_t *fill_values(int16_t *to, int32_t zero, int32_t n) {
    for (; n > 0; n--) {
        *to++ = (int16_t)zero;
    }
    return to;
}

static inline int16_t *copy_values(int16_t *to, const int16_t *from, int32_t n) {
    for (; n >= 2; n -= 2, to += 2, from += 2) {
        const uint32_t two = load_pair(from);
        __builtin_memcpy(to, &two, sizeof two);
    }
    if (n > 0) {
        *to++ = *from;
    }
    return to;
}

static inline int16_t *copy_runs(const dpl_columns *c, const dpl_taps *taps, const int16_t *from,
                                 int16_t *to, int32_t n) {
    if (c->merged) {
        return copy_values(to, from, n);
    }
    for (; n > 0; n -= c->depth, from += taps->pitch) {
        to = copy_values(to, from, c->depth);
    }
    return to;
}

static inline void finish_gathered(const dpl_columns *c, int16_t *at, uint32_t *to) {
    fill_values(at, 0, c->padded - c->window->kernel_height * c->row);
    widen(c->values, to, c->padded);
}

static inline void inner_gathered(const dpl_columns *c, dpl_row_walk rows, const int16_t *from,
                                  uint32_t *to) {
    int16_t *at = c->values;
    for (int32_t y = c->window->kernel_height; y > 0; y--) {
        at = copy_values(at, from + rows.offset, c->row);
        dpl_next_row(&rows);
    }
    finish_gathered(c, at, to);
}

/* Whether windows that lie inside may be taken by inner_aligned or inner_gathered. */
static inline int takes_inner(const dpl_columns *c) {
    return c->merged;
}

/* Through a buffer, where runs have odd lengths. */
static inline void gathered_column(const dpl_columns *c, const dpl_taps *taps, uint32_t *to) {
    const int32_t left = taps->x.begin * c->depth, inside = taps->x.end * c->depth - left;
    dpl_row_walk rows = taps->rows;
    int16_t *at = c->values;
    for (int32_t y = 0; y < c->window->kernel_height; y++) {
        if (y < taps->y.begin || y >= taps->y.end) {
            at = fill_values(at, c->zero, c->row);
            continue;
        }
        at = fill_values(at, c->zero, left);
        at = copy_runs(c, taps, c->input->data + rows.offset + taps->column, at, inside);
        at = fill_values(at, c->zero, c->row - left - inside);
        dpl_next_row(&rows);
    }
    finish_gathered(c, at, to);
}

#endif

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
    int16_t *values; /* of windows that are not aligned: room for three, and a word behind each */
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

/* n values, a multiple of two, of each of three pixels: 4 cycles for two of each. */
static inline uint32_t *widen_three(const int16_t *x, const int16_t *y, const int16_t *z,
                                    uint32_t *to, int32_t n) {
#if defined(__ARM_FEATURE_DSP)
    const int16_t *end = x + n;
    uint32_t p, q, r;
    __asm__ volatile("1:\n"
                     "ldr %[p], [%[x]], #4\n ldr %[q], [%[y]], #4\n"
                     "ldr %[r], [%[z]], #4\n str %[p], [%[to]], #12\n"
                     "cmp %[x], %[end]\n str %[q], [%[to], #-8]\n"
                     "str %[r], [%[to], #-4]\n"
                     "bne 1b\n"
                     : [x] "+r"(x), [y] "+r"(y), [z] "+r"(z), [to] "+r"(to), [p] "=&r"(p),
                       [q] "=&r"(q), [r] "=&r"(r)
                     : [end] "r"(end)
                     : "cc", "memory");
#else
    widen(x, to, n);
    widen(y, to + 1, n);
    to = widen(z, to + 2, n) - 2;
#endif
    return to;
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

/* Up to three values behind a window; a loop is a call of memset to gcc. */
static inline void end_values(int16_t *to, int32_t n) {
    switch (n) {
    case 3: to[2] = 0; /* fall through */
    case 2: to[1] = 0; /* fall through */
    case 1: to[0] = 0; /* fall through */
    default: break;
    }
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

/* Runs of three windows in whole words: up to one value too many. Those written are written again
 * or meet weights of zero. */
static inline void copy_three(const int16_t *from, int32_t step, int16_t *to, int32_t pitch,
                              int32_t n) {
    for (int32_t i = 0; i < n; i += 2, from += 2, to += 2) {
        const uint32_t p = load_pair(from), q = load_pair(from + step);
        const uint32_t r = load_pair(from + 2 * step);
        __builtin_memcpy(to, &p, sizeof p);
        __builtin_memcpy(to + pitch, &q, sizeof q);
        __builtin_memcpy(to + 2 * pitch, &r, sizeof r);
    }
}

/* A triple of windows that lie inside, `step` apart, and reach no further than a row when theirs
 * are taken in whole words. */
static __attribute__((noinline, unused)) void inner_three(const dpl_columns *c, dpl_row_walk rows,
                                                          const int16_t *from, int32_t step,
                                                          uint32_t *to) {
    const int32_t pitch = c->padded + ALIGNED;
    int16_t *at = c->values;
    for (int32_t y = c->window->kernel_height; y > 0; y--) {
        const int16_t *first = from + rows.offset;
        if (c->aligned) {
            to = widen_three(first, first + step, first + 2 * step, to, c->row);
        } else {
            copy_three(first, step, at, pitch, c->row);
            at += c->row;
        }
        dpl_next_row(&rows);
    }
    if (!c->aligned) {
        at = c->values;
        widen_three(at, at + pitch, at + 2 * pitch, to, c->padded);
    } else if (c->padded > c->window->kernel_height * c->row) {
        to[0] = to[1] = to[2] = 0; /* meet weights of zero */
    }
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
    end_values(at, c->padded - c->window->kernel_height * c->row);
    widen(c->values, to, c->padded);
}

#endif

/* im2col: windows of three output pixels, widened to int16 and interleaved for block_2x3.
 *
 * For every four values k of a window a triple holds six words: values 0 and 2 of columns 0, 1, 2,
 * then values 1 and 3 of the same. Values are in the order of the weights (row, column, channel),
 * their number rounded up to a multiple of four; what is beyond meets weights of zero. */
#ifndef DPL_CORTEX_M_COLUMNS_H
#define DPL_CORTEX_M_COLUMNS_H

#include "dpl/body/s8.h"
#include "dpl/cortex_m/block.h"

enum { ALIGNED = 4 }; /* values of a run that fill words of columns */

typedef struct {
    const dpl_tensor_s8 *input;
    const dpl_window *window;
    int32_t zero;    /* what a tap outside reads */
    int32_t depth;   /* values of a tap */
    int32_t row;     /* values of a kernel row */
    int32_t padded;  /* values of a window, rounded up */
    int32_t aligned; /* whether runs of taps begin and end at multiples of four */
    int32_t merged;  /* whether the taps of a kernel row lie next to one another */
    int8_t *bytes;   /* `padded` bytes for windows that are not aligned */
} dpl_columns;

/* n values, a multiple of four. Two loads or stores and two others issue together: 2.5 cycles for
 * four values. */
static inline void widen(const int8_t *from, uint32_t *to, int32_t n) {
#pragma GCC unroll 4
    for (; n > 0; n -= 4, from += 4, to += WORDS_OF_FOUR) {
        uint32_t four = load_word(from);
        to[0] = even_bytes(four);
        to[COLUMNS] = odd_bytes(four);
    }
}

/* The same of three pixels. */
static inline void widen_three(const int8_t *x, const int8_t *y, const int8_t *z, uint32_t *to,
                               int32_t n) {
#pragma GCC unroll 2
    for (; n > 0; n -= 4, x += 4, y += 4, z += 4, to += WORDS_OF_FOUR) {
        const uint32_t p = load_word(x), q = load_word(y), r = load_word(z);
        to[0] = even_bytes(p);
        to[COLUMNS] = odd_bytes(p);
        to[1] = even_bytes(q);
        to[COLUMNS + 1] = odd_bytes(q);
        to[2] = even_bytes(r);
        to[COLUMNS + 2] = odd_bytes(r);
    }
}

static inline uint32_t *fill(uint32_t *to, uint32_t zero, int32_t n) {
    for (; n > 0; n -= 4, to += WORDS_OF_FOUR) {
        to[0] = to[COLUMNS] = zero;
    }
    return to;
}

/* Of a window that lies inside, each kernel row one run. */
static inline void inner_aligned(const dpl_columns *c, dpl_row_walk rows, const int8_t *from,
                                 uint32_t *to) {
    for (int32_t y = c->window->kernel_height; y > 0; y--) {
        widen(from + rows.offset, to, c->row);
        to += c->row / 4 * WORDS_OF_FOUR;
        dpl_next_row(&rows);
    }
}

static inline int8_t *copy_bytes(int8_t *to, const int8_t *from, int32_t n) {
    for (; n >= 4; n -= 4, to += 4, from += 4) {
        uint32_t four = load_word(from);
        __builtin_memcpy(to, &four, sizeof four);
    }
    for (; n > 0; n--) {
        *to++ = *from++;
    }
    return to;
}

/* Words, then up to three bytes; a loop of bytes is a call of memset to gcc. */
static inline int8_t *fill_bytes(int8_t *to, int32_t zero, int32_t n) {
    const uint32_t four = (uint32_t)(uint8_t)zero * 0x01010101u;
    for (; n >= 4; n -= 4, to += 4) {
        __builtin_memcpy(to, &four, sizeof four);
    }
    switch (n) {
    case 3: to[2] = (int8_t)zero; /* fall through */
    case 2: to[1] = (int8_t)zero; /* fall through */
    case 1: to[0] = (int8_t)zero; /* fall through */
    default: return to + n;
    }
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
        const int8_t *from = c->input->data + rows.offset + taps->column;
        to = fill(to, zero, left);
        if (c->merged) {
            widen(from, to, inside);
        } else {
            for (int32_t x = 0; x < inside; x += c->depth, from += taps->pitch) {
                widen(from, to + x / 4 * WORDS_OF_FOUR, c->depth);
            }
        }
        to = fill(to + inside / 4 * WORDS_OF_FOUR, zero, c->row - left - inside);
        dpl_next_row(&rows);
    }
}

/* Whole words, up to three bytes too many on both sides: those read are skipped over later or meet
 * weights of zero, those written are written again. */
static inline int8_t *copy_words(int8_t *to, const int8_t *from, int32_t n) {
    for (int32_t i = 0; i < n; i += 4) {
        uint32_t four = load_word(from + i);
        __builtin_memcpy(to + i, &four, sizeof four);
    }
    return to + n;
}

/* All rows but the last in whole words: the bytes beyond lie before a later row's. In a ring they
 * may not. */
static inline void inner_gathered(const dpl_columns *c, dpl_row_walk rows, const int8_t *from,
                                  uint32_t *to) {
    int8_t *at = c->bytes;
    for (int32_t y = c->window->kernel_height - 1; y > 0; y--) {
        at = copy_words(at, from + rows.offset, c->row);
        dpl_next_row(&rows);
    }
    copy_bytes(at, from + rows.offset, c->row);
    widen(c->bytes, to, c->padded);
}

/* Whether windows that lie inside may be taken by inner_aligned or inner_gathered. */
static inline int takes_inner(const dpl_columns *c) {
    return c->merged && (c->aligned || c->input->ring_height == 0);
}

static inline void border_bytes(const dpl_columns *c, const dpl_taps *taps) {
    const int32_t left = taps->x.begin * c->depth, inside = taps->x.end * c->depth - left;
    dpl_row_walk rows = taps->rows;
    int8_t *at = c->bytes;
    for (int32_t y = 0; y < c->window->kernel_height; y++) {
        if (y < taps->y.begin || y >= taps->y.end) {
            at = fill_bytes(at, c->zero, c->row);
            continue;
        }
        const int8_t *from = c->input->data + rows.offset + taps->column;
        at = fill_bytes(at, c->zero, left);
        if (c->merged) {
            at = copy_bytes(at, from, inside);
        } else {
            for (int32_t x = 0; x < inside; x += c->depth, from += taps->pitch) {
                at = copy_bytes(at, from, c->depth);
            }
        }
        at = fill_bytes(at, c->zero, c->row - left - inside);
        dpl_next_row(&rows);
    }
}

/* Through a buffer of bytes, where runs are not multiples of four. */
static inline void gathered_column(const dpl_columns *c, const dpl_taps *taps, uint32_t *to) {
    border_bytes(c, taps);
    widen(c->bytes, to, c->padded);
}

#endif

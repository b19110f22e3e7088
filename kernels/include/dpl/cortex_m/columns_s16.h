/* Words of im2col of int16: values are halfwords already and two neighbours share a word (layout
 * "x2c4_ordered"), so it is a copy where the runs of a window begin and end at words. */
#ifndef DPL_CORTEX_M_COLUMNS_H
#define DPL_CORTEX_M_COLUMNS_H

#include "dpl/body/s16.h"
#include "dpl/cortex_m/block.h"

enum { ALIGNED = DPL_COLUMN_CHANNELS_S16 }; /* values of a run that fill words of columns */

/* n values, a multiple of two. */
static inline uint32_t *widen(const int16_t *from, uint32_t *to, int32_t n) {
#pragma GCC unroll 4
    for (; n > 0; n -= 2, from += 2, to += COLUMNS) {
        to[0] = load_word(from);
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

static inline int16_t *fill_values(int16_t *to, int32_t zero, int32_t n) {
    for (; n > 0; n--) {
        *to++ = (int16_t)zero;
    }
    return to;
}

static inline int16_t *copy_values(int16_t *to, const int16_t *from, int32_t n) {
    for (; n >= 2; n -= 2, to += 2, from += 2) {
        store_word(to, load_word(from));
    }
    if (n > 0) {
        *to++ = *from;
    }
    return to;
}

#endif

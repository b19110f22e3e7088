/* Words of im2col of int8: bytes widened to halfwords, values 0 and 2 of four in a word, then 1 and
 * 3 (layout "x2c4"). */
#ifndef DPL_CORTEX_M_COLUMNS_H
#define DPL_CORTEX_M_COLUMNS_H

#include "dpl/body/s8.h"
#include "dpl/cortex_m/block.h"
#include "dpl/cortex_m/values.h"

enum { ALIGNED = DPL_COLUMN_CHANNELS_S8 }; /* values of a run that fill words of columns */

/* n values, a multiple of four. Two loads or stores and two others issue together: 2.5 cycles for
 * four values. */
static inline uint32_t *widen(const int8_t *from, uint32_t *to, int32_t n) {
#pragma GCC unroll 4
    for (; n > 0; n -= 4, from += 4, to += WORDS_OF_FOUR) {
        const uint32_t four = load_word(from);
        to[0] = even_bytes(four);
        to[COLUMNS] = odd_bytes(four);
    }
    return to;
}

/* n values, a multiple of four, of each of three pixels: 9 cycles for four of each. */
static inline uint32_t *widen_three(const int8_t *x, const int8_t *y, const int8_t *z, uint32_t *to,
                                    int32_t n) {
#if defined(__ARM_FEATURE_DSP)
    const int8_t *end = x + n;
    uint32_t p, q, r, s;
    __asm__ volatile("1:\n"
                     "ldr %[p], [%[x]], #4\n ldr %[q], [%[y]], #4\n"
                     "ldr %[r], [%[z]], #4\n sxtb16 %[s], %[p]\n"
                     "str %[s], [%[to]], #24\n sxtb16 %[p], %[p], ror #8\n"
                     "str %[p], [%[to], #-12]\n sxtb16 %[s], %[q]\n"
                     "str %[s], [%[to], #-20]\n sxtb16 %[q], %[q], ror #8\n"
                     "str %[q], [%[to], #-8]\n sxtb16 %[s], %[r]\n"
                     "str %[s], [%[to], #-16]\n sxtb16 %[r], %[r], ror #8\n"
                     "str %[r], [%[to], #-4]\n cmp %[x], %[end]\n"
                     "bne 1b\n"
                     : [x] "+r"(x), [y] "+r"(y), [z] "+r"(z), [to] "+r"(to), [p] "=&r"(p),
                       [q] "=&r"(q), [r] "=&r"(r), [s] "=&r"(s)
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
    for (; n > 0; n -= 4, to += WORDS_OF_FOUR) {
        to[0] = to[COLUMNS] = zero;
    }
    return to;
}

#endif

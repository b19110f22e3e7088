/* One output channel times three columns: the last of an odd number, among packed pairs. */
#ifndef DPL_CORTEX_M_SINGLE_H
#define DPL_CORTEX_M_SINGLE_H

#include "dpl/cortex_m/block.h"

/* The sums a of the piece at `w`: 9 cycles for 12 products. Reads two words of columns beyond. */
static inline sums_2x3 sum_1x3(const uint32_t *w, const uint32_t *columns, int32_t words) {
    const uint32_t *end = columns + words;
    int32_t y0 = (int32_t)*w, y1 = y0, y2 = y0;
    w += BIAS_WORDS;
#if defined(__ARM_FEATURE_DSP)
    uint32_t p, q, x0, x1, x2;
    __asm__ volatile("ldr %[p], [%[w]], #4\n ldr %[q], [%[w]], #4\n"
                     "ldr %[x0], [%[at]]\n ldr %[x1], [%[at], #4]\n"
                     "sxtb16 %[p], %[p]\n"
                     "1:\n"
                     "smlad %[y0], %[p], %[x0], %[y0]\n ldr %[x2], [%[at], #8]\n"
                     "smlad %[y1], %[p], %[x1], %[y1]\n ldr %[x0], [%[at], #12]\n"
                     "smlad %[y2], %[p], %[x2], %[y2]\n ldr %[x1], [%[at], #16]\n"
                     "sxtb16 %[p], %[q]\n ldr %[q], [%[w]], #4\n"
                     "smlad %[y0], %[p], %[x0], %[y0]\n ldr %[x2], [%[at], #20]\n"
                     "smlad %[y1], %[p], %[x1], %[y1]\n ldr %[x0], [%[at], #24]!\n"
                     "smlad %[y2], %[p], %[x2], %[y2]\n ldr %[x1], [%[at], #4]\n"
                     "sxtb16 %[p], %[q]\n ldr %[q], [%[w]], #4\n"
                     "cmp %[at], %[end]\n"
                     "bne 1b\n"
                     : [y0] "+r"(y0), [y1] "+r"(y1), [y2] "+r"(y2), [w] "+r"(w), [at] "+r"(columns),
                       [p] "=&r"(p), [q] "=&r"(q), [x0] "=&r"(x0), [x1] "=&r"(x1), [x2] "=&r"(x2)
                     : [end] "r"(end)
                     : "cc", "memory");
#else
    for (; columns != end; columns += COLUMNS, w++) {
        const uint32_t a = even_bytes(*w);
        y0 = dual_mac(a, columns[0], y0);
        y1 = dual_mac(a, columns[1], y1);
        y2 = dual_mac(a, columns[2], y2);
    }
#endif
    return (sums_2x3){y0, y1, y2, 0, 0, 0};
}

#endif

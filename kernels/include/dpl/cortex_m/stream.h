/* Four output channels times one column: what a fully connected layer comes down to.
 *
 * Every weight is used once, so what counts is how few instructions unpack it. Two channels a and b
 * share halfwords v = a + 256 b: sxtb16 of a word of two gives a's values, and b's sum follows from
 * the word as it is, since sum(v x) - sum(a x) = 256 sum(b x). So one extension serves four
 * products instead of two. 256 sum(b x) wraps at 32 bits, so sum(b x) must fit 24: `when` of the
 * kernel sees to it. Layout "quads": for every four values the words ab(0, 2), ab(1, 3), cd(0, 2),
 * cd(1, 3). 38 instructions for 32 products, 19 cycles: 0.59 a product (pipeline model of the
 * Cortex-M7). */
#ifndef DPL_CORTEX_M_STREAM_H
#define DPL_CORTEX_M_STREAM_H

#include "dpl/cortex_m/simd.h"

/* Sums of a and c, and of the halfwords they share with b and d. */
typedef struct {
    int32_t a, ab, c, cd;
} sums_4x1;

/* What b's sum is: 24 bits, sign-extended. */
static inline int32_t upper_sum(int32_t both, int32_t lower) {
    return (int32_t)((uint32_t)both - (uint32_t)lower) >> 8;
}

#if defined(__ARM_FEATURE_DSP)

#define FOUR_VALUES(X0, X1, NEXT0, NEXT1)                                                          \
    "smlad %[ab], %[p], %[" X0 "], %[ab]\n sxtb16 %[t], %[p]\n"                                    \
    "smlad %[a], %[t], %[" X0 "], %[a]\n ldr %[p], [%[w], #8]\n"                                   \
    "smlad %[ab], %[q], %[" X1 "], %[ab]\n sxtb16 %[t], %[q]\n"                                    \
    "smlad %[a], %[t], %[" X1 "], %[a]\n ldr %[q], [%[w], #12]\n"                                  \
    "smlad %[cd], %[p], %[" X0 "], %[cd]\n sxtb16 %[t], %[p]\n"                                    \
    "smlad %[c], %[t], %[" X0 "], %[c]\n ldr %[p], [%[w], #16]!\n"                                 \
    "smlad %[cd], %[q], %[" X1 "], %[cd]\n sxtb16 %[t], %[q]\n"                                    \
    "ldr %[" X0 "], [%[x], #" NEXT0 "\n"                                                           \
    "smlad %[c], %[t], %[" X1 "], %[c]\n ldr %[q], [%[w], #4]\n"                                   \
    "ldr %[" X1 "], [%[x], #" NEXT1 "]\n"

/* `count` (even) times four values. Reads two words beyond of weights and of x. */
static inline sums_4x1 sum_4x1(const uint32_t *w, const uint32_t *x, int32_t count) {
    int32_t a = 0, ab = 0, c = 0, cd = 0;
    uint32_t p, q, t, x0, x1;
    const uint32_t *end = x + 2 * count;
    __asm__ volatile(
        "ldr %[p], [%[w]]\n ldr %[q], [%[w], #4]\n"
        "ldr %[x0], [%[x]]\n ldr %[x1], [%[x], #4]\n"
        ".p2align 3\n"
        "1:\n" FOUR_VALUES("x0", "x1", "8]", "12")
            FOUR_VALUES("x0", "x1", "16]!", "4") "cmp %[x], %[end]\n"
                                                 "bne 1b\n"
        : [a] "+r"(a), [ab] "+r"(ab), [c] "+r"(c), [cd] "+r"(cd), [w] "+r"(w), [x] "+r"(x),
          [p] "=&r"(p), [q] "=&r"(q), [t] "=&r"(t), [x0] "=&r"(x0), [x1] "=&r"(x1)
        : [end] "r"(end)
        : "cc", "memory");
    return (sums_4x1){a, ab, c, cd};
}

#else

static inline sums_4x1 sum_4x1(const uint32_t *w, const uint32_t *x, int32_t count) {
    uint32_t a = 0, ab = 0, c = 0, cd = 0;
    for (; count > 0; count--, w += 4, x += 2) {
        for (int32_t i = 0; i < 2; i++) {
            ab += (uint32_t)dual_mac(w[i], x[i], 0);
            a += (uint32_t)dual_mac(even_bytes(w[i]), x[i], 0);
            cd += (uint32_t)dual_mac(w[i + 2], x[i], 0);
            c += (uint32_t)dual_mac(even_bytes(w[i + 2]), x[i], 0);
        }
    }
    return (sums_4x1){(int32_t)a, (int32_t)ab, (int32_t)c, (int32_t)cd};
}

#endif

#endif

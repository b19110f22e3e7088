/* Four output channels times one column of int16: dpl/cortex_m/gemv.h with longer sums.
 *
 * Halfwords v = a + 256 b (layout "x4c4_paired") again give b's sum as (sum(v x) - sum(a x)) / 256,
 * but sums of int16 need all of their 32 bits, so sum(v x) has 64: smlald. 38 instructions for 32
 * products, 19 cycles: 0.59 a product (issue rules of the Cortex-M7). */
#ifndef DPL_CORTEX_M_GEMV_S16_H
#define DPL_CORTEX_M_GEMV_S16_H

#include "dpl/cortex_m/simd.h"

/* Sums of a and c, and of the halfwords they share with b and d. */
typedef struct {
    int32_t a, c;
    int64_t ab, cd;
} long_sums_4x1;

/* What b's sum is; its low 32 bits. */
static inline uint32_t upper_long_sum(int64_t both, int32_t lower) {
    return (uint32_t)((both - lower) >> 8);
}

#if defined(__ARM_FEATURE_DSP)

#define FOUR_LONG_VALUES(X0, X1, NEXT0, NEXT1)                                                     \
    "sxtb16 %[t], %[p]\n smlald %[ab], %[abh], %[p], %[" X0 "]\n"                                  \
    "smlad %[a], %[t], %[" X0 "], %[a]\n ldr %[p], [%[w], #8]\n"                                   \
    "sxtb16 %[t], %[q]\n smlald %[ab], %[abh], %[q], %[" X1 "]\n"                                  \
    "smlad %[a], %[t], %[" X1 "], %[a]\n ldr %[q], [%[w], #12]\n"                                  \
    "sxtb16 %[t], %[p]\n smlald %[cd], %[cdh], %[p], %[" X0 "]\n"                                  \
    "smlad %[c], %[t], %[" X0 "], %[c]\n ldr %[p], [%[w], #16]!\n"                                 \
    "sxtb16 %[t], %[q]\n smlald %[cd], %[cdh], %[q], %[" X1 "]\n"                                  \
    "ldr %[" X0 "], [%[x], #" NEXT0 "\n"                                                           \
    "smlad %[c], %[t], %[" X1 "], %[c]\n ldr %[q], [%[w], #4]\n"                                   \
    "ldr %[" X1 "], [%[x], #" NEXT1 "]\n"
#define EIGHT_LONG_VALUES                                                                          \
    FOUR_LONG_VALUES("x0", "x1", "8]", "12") FOUR_LONG_VALUES("x0", "x1", "16]!", "4")

/* `count` (even) times four values, on top of `start` for a and c. Reads two words beyond of
 * weights and of x. */
static __attribute__((noinline)) long_sums_4x1 long_sum_4x1(const uint32_t *w, const uint32_t *x,
                                                            int32_t count, const int32_t start[2]) {
    int32_t a = start[0], c = start[1], abh = a >> 31, cdh = c >> 31;
    uint32_t ab = (uint32_t)a, cd = (uint32_t)c, p, q, t, x0, x1;
    const uint32_t *end = x + 2 * count;
    __asm__ volatile("ldr %[p], [%[w]]\n ldr %[q], [%[w], #4]\n"
                     "ldr %[x0], [%[x]]\n ldr %[x1], [%[x], #4]\n"
                     ".p2align 3\n"
                     "1:\n" EIGHT_LONG_VALUES "cmp %[x], %[end]\n bne 1b\n"
                     : [a] "+r"(a), [ab] "+r"(ab), [abh] "+r"(abh), [c] "+r"(c), [cd] "+r"(cd),
                       [cdh] "+r"(cdh), [w] "+r"(w), [x] "+r"(x), [p] "=&r"(p), [q] "=&r"(q),
                       [t] "=&r"(t), [x0] "=&r"(x0), [x1] "=&r"(x1)
                     : [end] "r"(end)
                     : "cc", "memory");
    return (long_sums_4x1){a, c, (int64_t)((uint64_t)(uint32_t)abh << 32 | ab),
                           (int64_t)((uint64_t)(uint32_t)cdh << 32 | cd)};
}

#else

static inline int64_t long_dual_mac(uint32_t x, uint32_t y, int64_t acc) {
    return acc + (int32_t)(int16_t)x * (int16_t)y +
           (int32_t)(int16_t)(x >> 16) * (int16_t)(y >> 16);
}

static __attribute__((noinline)) long_sums_4x1 long_sum_4x1(const uint32_t *w, const uint32_t *x,
                                                            int32_t count, const int32_t start[2]) {
    long_sums_4x1 s = {start[0], start[1], start[0], start[1]};
    for (; count > 0; count--, w += 4, x += 2) {
        for (int32_t i = 0; i < 2; i++) {
            s.ab = long_dual_mac(w[i], x[i], s.ab);
            s.a = dual_mac(even_bytes(w[i]), x[i], s.a);
            s.cd = long_dual_mac(w[i + 2], x[i], s.cd);
            s.c = dual_mac(even_bytes(w[i + 2]), x[i], s.c);
        }
    }
    return s;
}

#endif

#endif

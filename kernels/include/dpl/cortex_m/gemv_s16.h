/* Four output channels times one column of int16: dpl/cortex_m/gemv.h with longer sums.
 *
 * Halfwords v = a + 256 b (layout "x4c4_paired") again give b's sum as (sum(v x) - sum(a x)) / 256,
 * but sums of int16 need all of their 32 bits, so sum(v x) has 64: smlald. 38 instructions for 32
 * products, 19 cycles: 0.59 a product (issue rules of the Cortex-M7). A pair alone takes 12 cycles
 * for 16. */
#ifndef DPL_CORTEX_M_GEMV_S16_H
#define DPL_CORTEX_M_GEMV_S16_H

#include "dpl/cortex_m/simd.h"

/* Adds what b's sum is: its low 32 bits. */
static inline int32_t with_upper(int32_t bias, int64_t both, int32_t lower) {
    return (int32_t)((uint32_t)bias + (uint32_t)((both - lower) >> 8));
}

#if defined(__ARM_FEATURE_DSP)

static inline int64_t long_of(uint32_t low, int32_t high) {
    return (int64_t)((uint64_t)(uint32_t)high << 32 | low);
}

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

/* Adds to four sums the products of `count` (even) times four values. Reads two words beyond of
 * weights and of x. */
static __attribute__((noinline)) void add_long_4x1(const uint32_t *w, const uint32_t *x,
                                                   int32_t count, int32_t *sums) {
    int32_t a = 0, c = 0, abh = 0, cdh = 0;
    uint32_t ab = 0, cd = 0, p, q, t, x0, x1;
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
    sums[0] += a;
    sums[1] = with_upper(sums[1], long_of(ab, abh), a);
    sums[2] += c;
    sums[3] = with_upper(sums[3], long_of(cd, cdh), c);
}

/* X0 and X1 have the values of x, to Y0 and Y1 go the next: a word is a factor two cycles after its
 * load at the earliest. */
#define FOUR_LONG_VALUES_OF_TWO(X0, X1, Y0, Y1, W0, W1, NEXT0, NEXT1)                              \
    "sxtb16 %[t], %[p]\n smlald %[ab], %[abh], %[p], %[" X0 "]\n"                                  \
    "ldr %[p], [%[w], #" W0 "\n smlad %[a], %[t], %[" X0 "], %[a]\n"                               \
    "sxtb16 %[t], %[q]\n smlald %[ab], %[abh], %[q], %[" X1 "]\n"                                  \
    "ldr %[" Y0 "], [%[x], #" NEXT0 "\n ldr %[" Y1 "], [%[x], #" NEXT1 "]\n"                       \
    "smlad %[a], %[t], %[" X1 "], %[a]\n ldr %[q], [%[w], #" W1 "]\n"

/* The same to two sums. */
static __attribute__((noinline)) void add_long_2x1(const uint32_t *w, const uint32_t *x,
                                                   int32_t count, int32_t *sums) {
    int32_t a = 0, abh = 0;
    uint32_t ab = 0, p, q, t, x0, x1, y0, y1;
    const uint32_t *end = x + 2 * count;
    __asm__ volatile(
        "ldr %[p], [%[w]]\n ldr %[q], [%[w], #4]\n"
        "ldr %[x0], [%[x]]\n ldr %[x1], [%[x], #4]\n"
        ".p2align 3\n"
        "1:\n" FOUR_LONG_VALUES_OF_TWO("x0", "x1", "y0", "y1", "8]", "12", "8]", "12")
            FOUR_LONG_VALUES_OF_TWO("y0", "y1", "x0", "x1", "16]!", "4", "16]!",
                                    "4") "cmp %[x], %[end]\n bne 1b\n"
        : [a] "+r"(a), [ab] "+r"(ab), [abh] "+r"(abh), [w] "+r"(w), [x] "+r"(x), [p] "=&r"(p),
          [q] "=&r"(q), [t] "=&r"(t), [x0] "=&r"(x0), [x1] "=&r"(x1), [y0] "=&r"(y0), [y1] "=&r"(y1)
        : [end] "r"(end)
        : "cc", "memory");
    sums[0] += a;
    sums[1] = with_upper(sums[1], long_of(ab, abh), a);
}

/* The same to one sum: without a partner a halfword is the weight. 8 cycles for 8 products, as the
 * loads of a pair may be of one bank. */
static inline int32_t add_long_1x1(const uint32_t *w, const uint32_t *x, int32_t count,
                                   int32_t sum) {
    uint32_t p, q, x0, x1;
    const uint32_t *end = x + 2 * count;
    __asm__ volatile("ldr %[p], [%[w]]\n ldr %[q], [%[w], #4]\n"
                     "ldr %[x0], [%[x]]\n ldr %[x1], [%[x], #4]\n"
                     ".p2align 3\n"
                     "1:\n"
                     "smlad %[a], %[p], %[x0], %[a]\n ldr %[p], [%[w], #8]\n"
                     "ldr %[x0], [%[x], #8]\n"
                     "smlad %[a], %[q], %[x1], %[a]\n ldr %[q], [%[w], #12]\n"
                     "ldr %[x1], [%[x], #12]\n"
                     "smlad %[a], %[p], %[x0], %[a]\n ldr %[p], [%[w], #16]!\n"
                     "ldr %[x0], [%[x], #16]!\n"
                     "smlad %[a], %[q], %[x1], %[a]\n ldr %[q], [%[w], #4]\n"
                     "ldr %[x1], [%[x], #4]\n"
                     "cmp %[x], %[end]\n bne 1b\n"
                     : [a] "+r"(sum), [w] "+r"(w), [x] "+r"(x), [p] "=&r"(p), [q] "=&r"(q),
                       [x0] "=&r"(x0), [x1] "=&r"(x1)
                     : [end] "r"(end)
                     : "cc", "memory");
    return sum;
}

#else

static inline int64_t long_dual_mac(uint32_t x, uint32_t y, int64_t acc) {
    return acc + (int32_t)(int16_t)x * (int16_t)y +
           (int32_t)(int16_t)(x >> 16) * (int16_t)(y >> 16);
}

/* Two sums by weights that lie `step` words from one four of values to the next. */
static inline void add_long_pair(const uint32_t *w, const uint32_t *x, int32_t count, int32_t step,
                                 int32_t *sums) {
    int32_t a = 0;
    int64_t ab = 0;
    for (; count > 0; count--, w += step, x += 2) {
        for (int32_t i = 0; i < 2; i++) {
            const uint32_t two = load_word(x + i);
            ab = long_dual_mac(w[i], two, ab);
            a = dual_mac(even_bytes(w[i]), two, a);
        }
    }
    sums[0] = (int32_t)((uint32_t)sums[0] + (uint32_t)a);
    sums[1] = with_upper(sums[1], ab, a);
}

static inline void add_long_4x1(const uint32_t *w, const uint32_t *x, int32_t count,
                                int32_t *sums) {
    add_long_pair(w, x, count, 4, sums);
    add_long_pair(w + 2, x, count, 4, sums + 2);
}

static inline void add_long_2x1(const uint32_t *w, const uint32_t *x, int32_t count,
                                int32_t *sums) {
    add_long_pair(w, x, count, 2, sums);
}

static inline int32_t add_long_1x1(const uint32_t *w, const uint32_t *x, int32_t count,
                                   int32_t sum) {
    int32_t sums[2] = {sum, 0};
    add_long_pair(w, x, count, 2, sums);
    return sums[0];
}

#endif

#endif

/* The sums of eight pixels by eight outputs or four, as a Cortex-A53 issues them
 * (docs/cortex-a53.md). Included behind what loads values of a type: FOUR_OF, ONE_OF and WIDENED.
 *
 * Four values of a pixel are lanes of a vector, loaded two pixels before they are used, in a cycle
 * of its own; where the next pixel reads is loaded beside a product. Weights of a value are a
 * vector, whose halves are those of the first outputs and of the last: 82 cycles for 256 products,
 * of int8 90; of one value 26 and 34 for 64. Of four outputs 46 and 54 for 128.
 *
 * v0 to v3 hold values by turns, v4 to v7 weights, v16 on the sums, of eight outputs first and last
 * ones of a pixel by turns; x9 the place in a tap, x10 what is left of it, x11 and x12 where pixels
 * read it. */
#ifndef DPL_NEON_OF_OUTPUTS_A64_H
#define DPL_NEON_OF_OUTPUTS_A64_H

#include "dpl/neon/simd.h"
#include "dpl/neon/sixteen_sums_a64.h"

/* clang-format off */
#define POINTER(P, AT) "ldr x" #P ", [%[from], #" #AT "]\n"
#define BY_EIGHT(LOW, HIGH, W, X, LANE, MORE)                                                      \
    "smlal v" #LOW ".4s, v" #W ".4h, v" #X ".h[" #LANE "]\n" MORE                                  \
    "smlal2 v" #HIGH ".4s, v" #W ".8h, v" #X ".h[" #LANE "]\n"
#define BY_FOUR(LOW, HIGH, W, X, LANE, MORE)                                                       \
    "smlal v" #LOW ".4s, v" #W ".4h, v" #X ".h[" #LANE "]\n" MORE
/* A pixel whose four values are in X; those of the next are in Y, of the one behind it are loaded. */
#define FOUR_VALUES(BY, LOW, HIGH, X, Y, POINT, LOADED)                                            \
    BY(LOW, HIGH, 4, X, 0, POINT) BY(LOW, HIGH, 5, X, 1, "") LOADED                                \
    BY(LOW, HIGH, 6, X, 2, "") WIDENED(Y) BY(LOW, HIGH, 7, X, 3, "")
#define ONE_VALUE(BY, LOW, HIGH, X, Y, POINT, LOADED)                                              \
    BY(LOW, HIGH, 4, X, 0, POINT) LOADED WIDENED(Y)
/* Eight pixels. */
#define ALL_PIXELS(VALUES, BY, LOAD, A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P)               \
    LOAD(0, 11) LOAD(1, 12) POINTER(11, 16) WIDENED(0)                                             \
    VALUES(BY, A, B, 0, 1, POINTER(12, 24), LOAD(2, 11))                                           \
    VALUES(BY, C, D, 1, 2, POINTER(11, 32), LOAD(3, 12))                                           \
    VALUES(BY, E, F, 2, 3, POINTER(12, 40), LOAD(0, 11))                                           \
    VALUES(BY, G, H, 3, 0, POINTER(11, 48), LOAD(1, 12))                                           \
    VALUES(BY, I, J, 0, 1, POINTER(12, 56), LOAD(2, 11))                                           \
    VALUES(BY, K, L, 1, 2, POINTER(11, 0), LOAD(3, 12))                                            \
    VALUES(BY, M, N, 2, 3, POINTER(12, 8), "")                                                     \
    VALUES(BY, O, P, 3, 0, "", "")
#define PIXELS_BY_EIGHT(VALUES, LOAD)                                                              \
    ALL_PIXELS(VALUES, BY_EIGHT, LOAD, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31)
#define PIXELS_BY_FOUR(VALUES, LOAD)                                                               \
    ALL_PIXELS(VALUES, BY_FOUR, LOAD, 16, 0, 17, 0, 18, 0, 19, 0, 20, 0, 21, 0, 22, 0, 23, 0)
#define WEIGHTS_OF_EIGHT                                                                           \
    "ldr q4, [%[w]]\n ldr q5, [%[w], #16]\n ldr q6, [%[w], #32]\n ldr q7, [%[w], #48]\n"           \
    "add %[w], %[w], #64\n"
#define WEIGHTS_OF_FOUR                                                                            \
    "ldr d4, [%[w]]\n ldr d5, [%[w], #8]\n ldr d6, [%[w], #16]\n ldr d7, [%[w], #24]\n"            \
    "add %[w], %[w], #32\n"
/* All taps: fours of values, then single ones. */
#define ALL_TAPS(PIXELS_BY, FOUR_WEIGHTS, ONE_WEIGHT)                                              \
    POINTER(11, 0) POINTER(12, 8)                                                                  \
    "1:\n mov x9, %[in]\n mov x10, %[fours]\n cbz x10, 3f\n"                                       \
    "2:\n" FOUR_WEIGHTS "subs x10, x10, #1\n" PIXELS_BY(FOUR_VALUES, FOUR_OF)                      \
    "add x9, x9, %[four]\n b.ne 2b\n"                                                              \
    "3:\n mov x10, %[ones]\n cbz x10, 5f\n"                                                        \
    "4:\n" ONE_WEIGHT "subs x10, x10, #1\n" PIXELS_BY(ONE_VALUE, ONE_OF)                           \
    "add x9, x9, %[one]\n b.ne 4b\n"                                                               \
    "5:\n add %[from], %[from], #64\n" POINTER(11, 0) POINTER(12, 8)                               \
    "subs %[taps], %[taps], #1\n b.ne 1b\n"
#define SAME_BIASES(LOW, HIGH) "mov v" #LOW ".16b, v16.16b\n mov v" #HIGH ".16b, v17.16b\n"
#define BIASES_OF_EIGHT                                                                            \
    "ldr q16, [%[bias]]\n ldr q17, [%[bias], #16]\n" SAME_BIASES(18, 19) SAME_BIASES(20, 21)       \
    SAME_BIASES(22, 23) SAME_BIASES(24, 25) SAME_BIASES(26, 27) SAME_BIASES(28, 29)                \
    SAME_BIASES(30, 31)
#define SAME_BIAS(V) "mov v" #V ".16b, v16.16b\n"
#define BIASES_OF_FOUR                                                                             \
    "ldr q16, [%[bias]]\n" SAME_BIAS(17) SAME_BIAS(18) SAME_BIAS(19) SAME_BIAS(20) SAME_BIAS(21)   \
    SAME_BIAS(22) SAME_BIAS(23)
#define TAKEN                                                                                      \
    [in] "r"(in), [fours] "r"((uint64_t)((uint32_t)values / 4)), [ones] "r"((uint64_t)((uint32_t)values % 4)), [bias] "r"(bias),               \
    [four] "r"((int64_t)4 * ELEMENT_BYTES), [one] "r"((int64_t)ELEMENT_BYTES)
#define SPOILED "x9", "x10", "x11", "x12", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "cc", "memory"

/* `taps` of `values`, `in` bytes behind where `from` lists them. Behind the list are eight places
 * that may be read. */
INLINED void sum_eight_a53(const int8_t *const *from, int64_t taps, int64_t in, int32_t values,
                           const int16_t *weights, const int32_t *bias, int32x4_t *low,
                           int32x4_t *high) {
    SIXTEEN_SUMS;
    __asm__ volatile(BIASES_OF_EIGHT ALL_TAPS(PIXELS_BY_EIGHT, WEIGHTS_OF_EIGHT, "ldr q4, [%[w]], #16\n")
                     : [from] "+&r"(from), [w] "+&r"(weights), [taps] "+&r"(taps), "=&w"(s0),
                       "=&w"(s1), "=&w"(s2), "=&w"(s3), "=&w"(s4), "=&w"(s5), "=&w"(s6), "=&w"(s7),
                       "=&w"(s8), "=&w"(s9), "=&w"(s10), "=&w"(s11), "=&w"(s12), "=&w"(s13),
                       "=&w"(s14), "=&w"(s15)
                     : TAKEN
                     : SPOILED);
    TAKE_SIXTEEN(low, high);
}

INLINED void sum_four_a53(const int8_t *const *from, int64_t taps, int64_t in, int32_t values,
                          const int16_t *weights, const int32_t *bias, int32x4_t *low) {
    register int32x4_t s0 __asm__("v16");
    register int32x4_t s1 __asm__("v17");
    register int32x4_t s2 __asm__("v18");
    register int32x4_t s3 __asm__("v19");
    register int32x4_t s4 __asm__("v20");
    register int32x4_t s5 __asm__("v21");
    register int32x4_t s6 __asm__("v22");
    register int32x4_t s7 __asm__("v23");
    __asm__ volatile(BIASES_OF_FOUR ALL_TAPS(PIXELS_BY_FOUR, WEIGHTS_OF_FOUR, "ldr d4, [%[w]], #8\n")
                     : [from] "+&r"(from), [w] "+&r"(weights), [taps] "+&r"(taps), "=&w"(s0),
                       "=&w"(s1), "=&w"(s2), "=&w"(s3), "=&w"(s4), "=&w"(s5), "=&w"(s6), "=&w"(s7)
                     : TAKEN
                     : SPOILED);
    low[0] = s0, low[1] = s1, low[2] = s2, low[3] = s3;
    low[4] = s4, low[5] = s5, low[6] = s6, low[7] = s7;
}
/* clang-format on */

#endif

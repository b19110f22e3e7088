/* The sums of four pixels by eight channels as a Cortex-A53 issues them (docs/cortex-a53.md).
 *
 * A product takes a cycle, and beside it a general register is loaded: two of them make a vector of
 * weights or of a pixel in one cycle more. Eight values of four pixels take 64 products and 12 such
 * cycles.
 *
 * v0 to v3 and v8 to v11 hold eight values of a pixel each by turns, v4 to v7 weights of a value,
 * v16 on the sums, low and high channels of a pixel after the other; x14 and x15 the weights of the
 * value after the next, x12 and x13 the next values of a pixel, which repeat the last. */
#ifndef DPL_NEON_BLOCK_FOUR_S16_A64_H
#define DPL_NEON_BLOCK_FOUR_S16_A64_H

#include "dpl/neon/simd.h"

/* clang-format off */
#define FOUR_PIXEL(P, LOW, HIGH, W, K, MORE, AND)                                                  \
    "smlal v" #LOW ".4s, v" #W ".4h, v" #P ".h[" #K "]\n" MORE                                     \
    "smlal2 v" #HIGH ".4s, v" #W ".8h, v" #P ".h[" #K "]\n" AND
/* Value K of pixels P to S by weights W; those of the next value, which are there, go to X, and of
 * the one after it, at OFF and OFF2, to registers; B to E are issued beside products. */
#define FOUR_VALUE(P, Q, R, S, K, W, X, OFF, OFF2, B, C, D, E)                                     \
    "ins v" #X ".d[0], x14\n ins v" #X ".d[1], x15\n"                                              \
    FOUR_PIXEL(P, 16, 17, W, K, "ldr x14, [%[w], #" #OFF "]\n", "ldr x15, [%[w], #" #OFF2 "]\n")   \
    FOUR_PIXEL(Q, 18, 19, W, K, B, C) FOUR_PIXEL(R, 20, 21, W, K, D, E)                            \
    FOUR_PIXEL(S, 22, 23, W, K, "", "")
#define FIRST_OF(X) "ldr x12, [" X "]\n"
#define LAST_OF(X) "ldr x13, [" X ", #8]\n"
#define INTO(V) "ins v" #V ".d[0], x12\n ins v" #V ".d[1], x13\n"
#define STEP_OF(X) "add " X ", " X ", x10\n"
/* Eight values of pixels P to S; the next ones go to T to W. */
#define FOUR_STEP(P, Q, R, S, T, U, V, W)                                                          \
    FOUR_VALUE(P, Q, R, S, 0, 4, 5, 32, 40, "subs %[steps], %[steps], #1\n",                       \
               "csel x10, xzr, %[step], eq\n", STEP_OF("x20"), STEP_OF("x21"))                     \
    FOUR_VALUE(P, Q, R, S, 1, 5, 6, 48, 56, STEP_OF("x22"), STEP_OF("x23"), "", "")                \
    FOUR_VALUE(P, Q, R, S, 2, 6, 7, 64, 72, FIRST_OF("x20"), LAST_OF("x20"), "", "") INTO(T)                        \
    FOUR_VALUE(P, Q, R, S, 3, 7, 4, 80, 88, FIRST_OF("x21"), LAST_OF("x21"), "", "") INTO(U)                        \
    FOUR_VALUE(P, Q, R, S, 4, 4, 5, 96, 104, FIRST_OF("x22"), LAST_OF("x22"), "", "") INTO(V)                       \
    FOUR_VALUE(P, Q, R, S, 5, 5, 6, 112, 120, FIRST_OF("x23"), LAST_OF("x23"), "", "") INTO(W)                      \
    FOUR_VALUE(P, Q, R, S, 6, 6, 7, 128, 136, "", "", "", "")                                      \
    FOUR_VALUE(P, Q, R, S, 7, 7, 4, 144, 152, "add %[w], %[w], #128\n", "", "", "")

/* As sum_8x8_a53. */
static inline void sum_4x8_a53(const int8_t *const *pixel, const int8_t *weights, int64_t steps,
                               const int32_t *bias, int32x4_t *low, int32x4_t *high) {
    register int32x4_t s0 __asm__("v16");
    register int32x4_t s1 __asm__("v17");
    register int32x4_t s2 __asm__("v18");
    register int32x4_t s3 __asm__("v19");
    register int32x4_t s4 __asm__("v20");
    register int32x4_t s5 __asm__("v21");
    register int32x4_t s6 __asm__("v22");
    register int32x4_t s7 __asm__("v23");
    __asm__ volatile(
        "ldp x20, x21, [%[pixel]]\n ldp x22, x23, [%[pixel], #16]\n"
        "ldr q16, [%[bias]]\n ldr q17, [%[bias], #64]\n ldr q4, [%[w]]\n"
        "ldr q0, [x20]\n ldr q1, [x21]\n ldr q2, [x22]\n ldr q3, [x23]\n"
        "mov v18.16b, v16.16b\n ldr x14, [%[w], #16]\n mov v19.16b, v17.16b\n ldr x15, [%[w], #24]\n"
        "mov v20.16b, v16.16b\n mov v21.16b, v17.16b\n mov v22.16b, v16.16b\n mov v23.16b, v17.16b\n"
        "1:\n" FOUR_STEP(0, 1, 2, 3, 8, 9, 10, 11) "b.eq 2f\n"
        FOUR_STEP(8, 9, 10, 11, 0, 1, 2, 3) "b.ne 1b\n"
        "2:\n"
        : [w] "+&r"(weights), [steps] "+&r"(steps), "=&w"(s0), "=&w"(s1), "=&w"(s2), "=&w"(s3),
          "=&w"(s4), "=&w"(s5), "=&w"(s6), "=&w"(s7)
        : [pixel] "r"(pixel), [bias] "r"(bias), [step] "r"(INT64_C(16))
        : "x10", "x12", "x13", "x14", "x15", "x20", "x21", "x22", "x23", "v0", "v1", "v2", "v3",
          "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "cc", "memory");
    low[0] = s0, high[0] = s1, low[1] = s2, high[1] = s3;
    low[2] = s4, high[2] = s5, low[3] = s6, high[3] = s7;
}
/* clang-format on */

#undef FOUR_PIXEL
#undef FOUR_VALUE
#undef FIRST_OF
#undef LAST_OF
#undef INTO
#undef STEP_OF
#undef FOUR_STEP

#endif

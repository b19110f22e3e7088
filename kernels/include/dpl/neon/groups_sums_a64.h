/* The sums of eight positions of eight groups as a Cortex-A53 issues them (docs/cortex-a53.md).
 *
 * Lanes are groups, so that a value of a position is a vector in whole halves and so are its
 * weights. Three cycles a position: one loads the first half of the cells of the position after the
 * next beside the insertion of the next one's last half, two are products, beside which a general
 * register takes the last half of the third one. The weights of the next value take two: 26 cycles
 * for 64 products.
 *
 * v0 to v3 hold cells by turns, x14 and x15 their last halves, v4 and v5 weights of values by
 * turns; v16 on the sums, first and last groups of a position after the other; x9, x11 and x12
 * where the cells of this value and of the next are. */
#ifndef DPL_NEON_GROUPS_SUMS_A64_H
#define DPL_NEON_GROUPS_SUMS_A64_H

#include "dpl/neon/simd.h"
#include "dpl/neon/sixteen_sums_a64.h"

/* clang-format off */
/* The position whose cells are X and sums LOW and HIGH, by weights W. Y are the next one's, whose
 * last half is in H; those of the position after that, at OFF behind P, go to Z, the last half of
 * the third, at OFF2 behind P2, to H. A and B are issued behind products. */
#define POSITION(X, LOW, HIGH, W, Y, H, Z, P, OFF, P2, OFF2, A)                                    \
    "ldr d" #Z ", [" P ", #" #OFF "]\n ins v" #Y ".d[1], " H "\n"                                  \
    "smlal v" #LOW ".4s, v" #X ".4h, v" #W ".4h\n ldr " H ", [" P2 ", #" #OFF2 "]\n"               \
    "smlal2 v" #HIGH ".4s, v" #X ".8h, v" #W ".8h\n" A
/* A value by weights W; those of the next go to N. */
#define VALUE(W, N)                                                                                \
    "ldr q" #N ", [%[w]], #16\n"                                                                   \
    POSITION(0, 16, 17, W, 1, "x15", 2, "x9", 32, "x9", 56, "mov x11, x12\n")                       \
    POSITION(1, 18, 19, W, 2, "x14", 3, "x9", 48, "x9", 72, "ldrh w10, [%[at]], #2\n")             \
    POSITION(2, 20, 21, W, 3, "x15", 0, "x9", 64, "x9", 88, "")                                    \
    POSITION(3, 22, 23, W, 0, "x14", 1, "x9", 80, "x9", 104, "add x12, %[cells], x10\n")          \
    POSITION(0, 24, 25, W, 1, "x15", 2, "x9", 96, "x9", 120, "")                                   \
    POSITION(1, 26, 27, W, 2, "x14", 3, "x9", 112, "x11", 8, "subs %[count], %[count], #1\n")      \
    POSITION(2, 28, 29, W, 3, "x15", 0, "x11", 0, "x11", 24, "mov x9, x11\n")                      \
    POSITION(3, 30, 31, W, 0, "x14", 1, "x11", 16, "x11", 40, "")
/* Biases of first groups to LOW and of last ones to HIGH; A is issued beside. */
#define BIASES_TO(LOW, HIGH, A)                                                               \
    "mov v" #LOW ".16b, v16.16b\n" A "mov v" #HIGH ".16b, v17.16b\n"

/* `count` values; of the last loads for the next two are made, of the first position's values. */
INLINED void sum_groups_a53(const int8_t *cells, const uint16_t *at, int64_t count,
                            const int16_t *weights, const int32_t *bias, int32x4_t *low,
                            int32x4_t *high) {
    SIXTEEN_SUMS;
    __asm__ volatile(
        "ldrh w9, [%[at]], #2\n ldr q16, [%[bias]]\n ldrh w10, [%[at]], #2\n"
        "ldr q17, [%[bias], #16]\n add x9, %[cells], x9\n"
        "mov v18.16b, v16.16b\n add x12, %[cells], x10\n mov v20.16b, v16.16b\n"
        "ldr q4, [%[w]], #16\n" BIASES_TO(22, 19, "ldr x14, [x9, #8]\n")
        BIASES_TO(24, 21, "ldr x15, [x9, #24]\n") "ldr d0, [x9]\n"
        BIASES_TO(26, 23, "") "ldr d1, [x9, #16]\n ins v0.d[1], x14\n"
        BIASES_TO(28, 25, "ldr x14, [x9, #40]\n") BIASES_TO(30, 27, "")
        "mov v29.16b, v17.16b\n mov v31.16b, v17.16b\n"
        "1:\n" VALUE(4, 5) "b.eq 2f\n" VALUE(5, 4) "b.ne 1b\n"
        "2:\n"
        : [at] "+&r"(at), [w] "+&r"(weights), [count] "+&r"(count), "=w"(s0), "=w"(s1), "=w"(s2),
          "=w"(s3), "=w"(s4), "=w"(s5), "=w"(s6), "=w"(s7), "=w"(s8), "=w"(s9), "=w"(s10),
          "=w"(s11), "=w"(s12), "=w"(s13), "=w"(s14), "=w"(s15)
        : [cells] "r"(cells), [bias] "r"(bias)
        : "x9", "x10", "x11", "x12", "x14", "x15", "v0", "v1", "v2", "v3", "v4", "v5", "cc", "memory");
    TAKE_SIXTEEN(low, high);
}
/* clang-format on */

#undef POSITION
#undef VALUE
#undef BIASES_TO

#endif

/* The sums of one pixel by eight channels or the first four as a Cortex-A53 issues them
 * (docs/cortex-a53.md).
 *
 * A vector of weights takes one cycle: its first half shares it with the insertion of the next
 * one's last half, which was loaded beside a product. Two products more are three cycles a value,
 * 26 for eight with those of the pixel. Of four channels two values share such a cycle: 19.
 *
 * v0 and v1 hold eight values of the pixel by turns, v4 to v7 weights, v16 and v17 the sums; x12
 * and x13 the next values, which repeat the last. Weights are read up to 48 bytes behind: those are
 * tables. Sums begin with zero: biases lie behind the weights, and lines of a stream that is asked
 * for ahead are read in order. */
#ifndef DPL_NEON_BLOCK_ONE_S16_A64_H
#define DPL_NEON_BLOCK_ONE_S16_A64_H

#include "dpl/neon/simd.h"

/* clang-format off */
/* Value K of pixel P by weights X. Y are the next one's, whose last half is in H; those after it, at
 * OFF, go to Z, the last half of the third, at OFF2, to H. MORE is issued beside a product. */
#define ONE_VALUE(P, K, X, Y, H, Z, OFF, OFF2, MORE)                                               \
    "ldr d" #Z ", [%[w], #" #OFF "]\n ins v" #Y ".d[1], " H "\n"                                   \
    "smlal v16.4s, v" #X ".4h, v" #P ".h[" #K "]\n ldr " H ", [%[w], #" #OFF2 "]\n"                \
    "smlal2 v17.4s, v" #X ".8h, v" #P ".h[" #K "]\n" MORE
/* Eight values of P; those of the next step go to N. */
#define ONE_STEP(P, N)                                                                             \
    ONE_VALUE(P, 0, 4, 5, "x15", 6, 32, 56, "subs %[steps], %[steps], #1\n")                       \
    ONE_VALUE(P, 1, 5, 6, "x14", 7, 48, 72, "csel x10, xzr, %[step], eq\n")                        \
    ONE_VALUE(P, 2, 6, 7, "x15", 4, 64, 88, "add %[pixel], %[pixel], x10\n")                       \
    ONE_VALUE(P, 3, 7, 4, "x14", 5, 80, 104, "")                                                   \
    ONE_VALUE(P, 4, 4, 5, "x15", 6, 96, 120, "")                                                   \
    ONE_VALUE(P, 5, 5, 6, "x14", 7, 112, 136, "ldr x12, [%[pixel]]\n")                             \
    ONE_VALUE(P, 6, 6, 7, "x15", 4, 128, 152, "ldr x13, [%[pixel], #8]\n")                         \
    ONE_VALUE(P, 7, 7, 4, "x14", 5, 144, 168, "add %[w], %[w], #128\n")                            \
    "ins v" #N ".d[0], x12\n ins v" #N ".d[1], x13\n"
/* Two values by the first halves of their weights X and Y; the next ones' go to V and W. */
#define TWO_VALUES(P, K, L, X, Y, V, W, OFF, OFF2, MORE)                                           \
    "ldr d" #V ", [%[w], #" #OFF "]\n ins v" #W ".d[0], x14\n"                                     \
    "smlal v16.4s, v" #X ".4h, v" #P ".h[" #K "]\n ldr x14, [%[w], #" #OFF2 "]\n"                  \
    "smlal v16.4s, v" #Y ".4h, v" #P ".h[" #L "]\n" MORE
#define NARROW_STEP(P, N)                                                                          \
    TWO_VALUES(P, 0, 1, 4, 5, 6, 7, 32, 80, "csel x10, xzr, %[step], eq\n")                        \
    "add %[pixel], %[pixel], x10\n"                                                                \
    TWO_VALUES(P, 2, 3, 6, 7, 4, 5, 64, 112, "add x11, %[w], #128\n")                              \
    TWO_VALUES(P, 4, 5, 4, 5, 6, 7, 96, 144, "ldr x12, [%[pixel]]\n")                              \
    TWO_VALUES(P, 6, 7, 6, 7, 4, 5, 128, 176, "ldr x13, [%[pixel], #8]\n")                         \
    "mov %[w], x11\n"                                                                              \
    "ins v" #N ".d[0], x12\n ins v" #N ".d[1], x13\n"

static inline void sum_1x8_a53(const int8_t *pixel, const int8_t *weights, int64_t steps,
                               int32x4_t *low, int32x4_t *high) {
    register int32x4_t s0 __asm__("v16");
    register int32x4_t s1 __asm__("v17");
    __asm__ volatile(
        "movi v16.4s, #0\n movi v17.4s, #0\n ldr q0, [%[pixel]]\n ldr q4, [%[w]]\n"
        "ldr d5, [%[w], #16]\n ldr x15, [%[w], #24]\n ldr x14, [%[w], #40]\n"
        "1:\n" ONE_STEP(0, 1) "b.eq 2f\n" ONE_STEP(1, 0) "b.ne 1b\n"
        "2:\n"
        : [pixel] "+&r"(pixel), [w] "+&r"(weights), [steps] "+&r"(steps), "=&w"(s0), "=&w"(s1)
        : [step] "r"(INT64_C(16))
        : "x10", "x12", "x13", "x14", "x15", "v0", "v1", "v4", "v5", "v6", "v7", "cc", "memory");
    *low = s0, *high = s1;
}

static inline int32x4_t sum_1x4_a53(const int8_t *pixel, const int8_t *weights, int64_t steps) {
    register int32x4_t s0 __asm__("v16");
    __asm__ volatile(
        "movi v16.4s, #0\n ldr q0, [%[pixel]]\n ldr d4, [%[w]]\n ldr d5, [%[w], #16]\n"
        "ldr x14, [%[w], #48]\n"
        "1:\n subs %[steps], %[steps], #1\n" NARROW_STEP(0, 1) "b.eq 2f\n"
        "subs %[steps], %[steps], #1\n" NARROW_STEP(1, 0) "b.ne 1b\n"
        "2:\n"
        : [pixel] "+&r"(pixel), [w] "+&r"(weights), [steps] "+&r"(steps), "=&w"(s0)
        : [step] "r"(INT64_C(16))
        : "x10", "x11", "x12", "x13", "x14", "v0", "v1", "v4", "v5", "v6", "v7", "cc", "memory");
    return s0;
}
/* clang-format on */

#undef ONE_VALUE
#undef ONE_STEP
#undef TWO_VALUES
#undef NARROW_STEP

#endif

/* The sums of one row by eight channels as a Cortex-A53 issues them (docs/cortex-a53.md).
 *
 * A cycle issues one product on 128 bits, beside which an integer load or an addition is free.
 * SADALP takes two, and nothing beside it. A load of 64 bits to a vector register takes a cycle
 * that it shares with the insertion of another vector's second half, which came by an integer
 * register three cycles earlier: so sixteen bytes take one. A step has sixteen products and loads
 * eight vectors of weights and one of the row: 25 cycles. With 16 for SADALP a quad of two steps
 * takes 66 for 256 products of values. Weights are loaded in the order in which they lie, so that
 * their lines are asked for ahead.
 *
 * v8 and v9 hold the row's values of a step and of the next, v4 to v7 and v0 to v3 weights of four
 * channels each, v16 on sums of 16 bits, v24 on those of 32. x9 to x12 are second halves of
 * weights, x13 those of the row, x14 where in the row the next step is, over eight.
 */
#ifndef DPL_NEON_BLOCK_ROW_S8_A64_H
#define DPL_NEON_BLOCK_ROW_S8_A64_H

#include "dpl/neon/simd.h"

#define LOW(MUL, SUM, A, W) MUL " v" #SUM ".8h, v" #A ".8b, v" #W ".8b\n"
#define HIGH(SUM, A, W) "smlal2 v" #SUM ".8h, v" #A ".16b, v" #W ".16b\n"
#define HALF(X, FROM) "ldr " X ", " FROM "\n"
/* The first half of V, and the second one of INTO from X. */
#define LOAD(V, FROM, INTO, X) "ldr d" #V ", " FROM "\nins v" #INTO ".d[1], " X "\n"

/* clang-format off */
/* Channels 0 to 3 of a step; loads 4 to 7. %[w] is where channel 3 lies. */
#define FIRST_FOUR(MUL, A)                                                                         \
    LOAD(0, "[%[w], #16]", 6, "x11")                                                               \
    LOW(MUL, 16, A, 4) HALF("x9", "[%[w], #24]")                                                   \
    LOW(MUL, 17, A, 5)                                                                             \
    LOAD(1, "[%[w], #32]", 7, "x12")                                                               \
    LOW(MUL, 18, A, 6) HALF("x10", "[%[w], #40]")                                                  \
    LOW(MUL, 19, A, 7) "ldrh w14, [%[at]], #2\n"                                                   \
    LOAD(2, "[%[w], #48]", 0, "x9")                                                                \
    HIGH(16, A, 4) HALF("x11", "[%[w], #56]")                                                      \
    HIGH(17, A, 5)                                                                                 \
    LOAD(3, "[%[w], #64]", 1, "x10")                                                               \
    HIGH(18, A, 6) HALF("x12", "[%[w], #72]")                                                      \
    HIGH(19, A, 7)
/* Channels 4 to 7; loads what the next step has of the row, to NEXT, and its channels 0 to 3. The
 * last load moves %[w] on, three cycles before its next use. LEFT is beside a product. */
#define LAST_FOUR(MUL, A, NEXT, LEFT)                                                              \
    LOAD(NEXT, "[%[row], x14, lsl #3]", 2, "x11")                                                  \
    LOW(MUL, 20, A, 0) HALF("x13", "[%[second], x14, lsl #3]")                                     \
    LOAD(4, "[%[w], #80]", 3, "x12")                                                               \
    LOW(MUL, 21, A, 1) HALF("x9", "[%[w], #88]")                                                   \
    LOW(MUL, 22, A, 2) HALF("x10", "[%[w], #104]")                                                 \
    LOAD(5, "[%[w], #96]", NEXT, "x13")                                                            \
    LOW(MUL, 23, A, 3) HALF("x11", "[%[w], #120]")                                                 \
    HIGH(20, A, 0) HALF("x12", "[%[w], #136]")                                                     \
    LOAD(6, "[%[w], #112]", 4, "x9")                                                               \
    HIGH(21, A, 1) LEFT                                                                            \
    LOAD(7, "[%[w], #128]!", 5, "x10")                                                             \
    HIGH(22, A, 2)                                                                                 \
    HIGH(23, A, 3)
#define SUMS                                                                                       \
    "sadalp v24.4s, v16.8h\n sadalp v25.4s, v17.8h\n sadalp v26.4s, v18.8h\n"                      \
    "sadalp v27.4s, v19.8h\n sadalp v28.4s, v20.8h\n sadalp v29.4s, v21.8h\n"                      \
    "sadalp v30.4s, v22.8h\n sadalp v31.4s, v23.8h\n"
/* clang-format on */

/* `quads` times 32 values, then `pairs` times 16, from eight times `at` on in the row, which goes
 * on with a place that may be read; so do the weights with 64 bytes. */
static inline void sum_1x8_a53(const int8_t *row, const int8_t *weights, const uint16_t *at,
                               int64_t quads, int64_t pairs, int32x4_t *low, int32x4_t *high) {
    register int32x4_t first __asm__("v24");
    register int32x4_t last __asm__("v28");
    const int8_t *second = row + 8;
    /* clang-format off */
    __asm__ volatile(
        "ldrh w14, [%[at]], #2\n"
        "ldr d4, [%[w]]\n ldr x9, [%[w], #8]\n ldr d5, [%[w], #16]\n ldr x10, [%[w], #24]\n"
        "ldr d8, [%[row], x14, lsl #3]\n ldr x13, [%[second], x14, lsl #3]\n"
        "ldr d6, [%[w], #32]\n ldr x11, [%[w], #40]\n ldr x12, [%[w], #56]\n"
        "ldr d7, [%[w], #48]!\n"
        "movi v24.4s, #0\n movi v25.4s, #0\n movi v26.4s, #0\n movi v27.4s, #0\n"
        "ins v4.d[1], x9\n ins v5.d[1], x10\n ins v8.d[1], x13\n"
        "movi v28.4s, #0\n movi v29.4s, #0\n movi v30.4s, #0\n movi v31.4s, #0\n"
        "cbz %[quads], 3f\n"
        "b 2f\n"
        "1:\n"
        SUMS
        "2:\n"
        FIRST_FOUR("smull", 8)
        LAST_FOUR("smull", 8, 9, "subs %[quads], %[quads], #1\n")
        FIRST_FOUR("smlal", 9)
        LAST_FOUR("smlal", 9, 8, "")
        "b.ne 1b\n"
        SUMS
        "3:\n"
        "cbz %[pairs], 5f\n"
        "4:\n"
        FIRST_FOUR("smull", 8)
        LAST_FOUR("smull", 8, 9, "subs %[pairs], %[pairs], #1\n")
        SUMS
        "mov v8.16b, v9.16b\n"
        "b.ne 4b\n"
        "5:\n"
        "addp v24.4s, v24.4s, v25.4s\n addp v26.4s, v26.4s, v27.4s\n"
        "addp v28.4s, v28.4s, v29.4s\n addp v30.4s, v30.4s, v31.4s\n"
        "addp v24.4s, v24.4s, v26.4s\n addp v28.4s, v28.4s, v30.4s\n"
        : [w] "+&r"(weights), [at] "+&r"(at), [quads] "+&r"(quads), [pairs] "+&r"(pairs),
          "=w"(first), "=w"(last)
        : [row] "r"(row), [second] "r"(second)
        : "x9", "x10", "x11", "x12", "x13", "x14", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7",
          "v8", "v9", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v25", "v26", "v27",
          "v29", "v30", "v31", "cc", "memory");
    /* clang-format on */
    *low = first, *high = last;
}

#endif

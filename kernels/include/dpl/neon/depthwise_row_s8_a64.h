/* Sums of pairs of taps of int8 along a single row, eight channels of four pixels, as a Cortex-A53
 * issues them (docs/cortex-a53.md).
 *
 * As in depthwise_s8_a64.h, but a vector with two neighbours of the row, the first in the lower
 * half, serves four pixels: those of a pair and of the next one have two of them in common, so that
 * a pair loads two vectors instead of four. Their first halves share a cycle with the insertion of
 * the half that came before. So 64 products of values take 19. An odd number of taps has a last one
 * whose weights are zero: it reads the pixel before once more, since nothing may lie behind.
 *
 * v0 to v3 are a ring of the vectors; x13 is where the next one begins, x14 and x15 one and two
 * pixels behind it. */
#ifndef DPL_NEON_DEPTHWISE_ROW_S8_A64_H
#define DPL_NEON_DEPTHWISE_ROW_S8_A64_H

#include "dpl/neon/depthwise_taps.h"

/* A pair whose pixels have the vectors A to D; A and B are then those of the last two of the next.
 * `left` counts taps behind those of the pair: where there is one more, nothing lies behind it. */
#define ROW_PAIR(A, B, C, D, END)                                                                  \
    "smull v4.8h, v" A ".8b, v24.8b\n subs %[pairs], %[pairs], #1\n"                               \
    "smull v5.8h, v" B ".8b, v24.8b\n csel x9, %[step], xzr, ne\n"                                 \
    "smull v6.8h, v" C ".8b, v24.8b\n add x14, x13, x9\n"                                          \
    "smull v7.8h, v" D ".8b, v24.8b\n subs %[left], %[left], #2\n"                                 \
    "smlal2 v4.8h, v" A ".16b, v24.16b\n csel x9, x9, xzr, ge\n"                                   \
    "smlal2 v5.8h, v" B ".16b, v24.16b\n add x15, x14, x9\n"                                       \
    "smlal2 v6.8h, v" C ".16b, v24.16b\n ldr x10, [x14]\n"                                         \
    "smlal2 v7.8h, v" D ".16b, v24.16b\n ldr x17, [%[w], #8]\n"                                    \
    "saddw v16.4s, v16.4s, v4.4h\n ldr x11, [x15]\n"                                               \
    "ldr d" A ", [x13]\n mov x13, x15\n"                                                           \
    "saddw v17.4s, v17.4s, v5.4h\n"                                                                \
    "ldr d" B ", [x14]\n ins v" A ".d[1], x10\n"                                                   \
    "saddw v18.4s, v18.4s, v6.4h\n"                                                                \
    "ldr d24, [%[w]]\n ins v" B ".d[1], x11\n"                                                     \
    "saddw v19.4s, v19.4s, v7.4h\n add %[w], %[w], #16\n"                                          \
    "saddw2 v20.4s, v20.4s, v4.8h\n"                                                               \
    "ins v24.d[1], x17\n"                                                                          \
    "saddw2 v21.4s, v21.4s, v5.8h\n cmp %[pairs], #0\n"                                            \
    "saddw2 v22.4s, v22.4s, v6.8h\n"                                                               \
    "saddw2 v23.4s, v23.4s, v7.8h\n b.eq " END "\n"

/* `first`: the first pixel's first tap; the row has `width` taps, `step` bytes from pixel to pixel.
 * Reads as many bytes of a piece's tables as two taps have. */
INLINED block_sums sum_row_a53(const int8_t *first, const int8_t *piece, const four_tables *tables,
                               int64_t width, int64_t step) {
    register int32x4_t low0 __asm__("v16") = vld1q_s32(tables[0].bias);
    register int32x4_t low1 __asm__("v17");
    register int32x4_t low2 __asm__("v18");
    register int32x4_t low3 __asm__("v19");
    register int32x4_t high0 __asm__("v20") = vld1q_s32(tables[1].bias);
    register int32x4_t high1 __asm__("v21");
    register int32x4_t high2 __asm__("v22");
    register int32x4_t high3 __asm__("v23");
    int64_t pairs = (width + 1) / 2, left = width - 2;
    /* clang-format off */
    __asm__ volatile(
        "add x14, %[first], %[step]\n"
        "add x15, %[first], %[step], lsl #1\n"
        "ldr d0, [%[first]]\n add x16, x14, %[step], lsl #1\n"
        "mov v17.16b, v16.16b\n ldr x9, [x14]\n"
        "mov v18.16b, v16.16b\n ldr x10, [x15]\n"
        "mov v19.16b, v16.16b\n ldr x11, [x16]\n"
        "ldr d1, [x14]\n ins v0.d[1], x9\n"
        "mov v21.16b, v20.16b\n add x13, x16, %[step]\n"
        "ldr d2, [x15]\n ins v1.d[1], x10\n"
        "mov v22.16b, v20.16b\n ldr x12, [x13]\n"
        "ldr d3, [x16]\n ins v2.d[1], x11\n"
        "ldr q24, [%[w]], #16\n"
        "ins v3.d[1], x12\n"
        "mov v23.16b, v20.16b\n"
        "1:\n"
        ROW_PAIR("0", "1", "2", "3", "2f")
        ROW_PAIR("2", "3", "0", "1", "2f")
        "b 1b\n"
        "2:\n"
        : [w] "+r"(piece), [pairs] "+r"(pairs), [left] "+r"(left), "+w"(low0), "=w"(low1),
          "=w"(low2), "=w"(low3), "+w"(high0), "=w"(high1), "=w"(high2), "=w"(high3)
        : [first] "r"(first), [step] "r"(step)
        : "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17", "v0", "v1", "v2", "v3",
          "v4", "v5", "v6", "v7", "v24", "cc", "memory");
    /* clang-format on */
    const block_sums sums = {{low0, high0}, {low1, high1}, {low2, high2}, {low3, high3}};
    return sums;
}

#undef ROW_PAIR

#endif

/* Sums of pairs of taps of int8, eight channels of four pixels, as a Cortex-A53 issues them
 * (docs/cortex-a53.md).
 *
 * A pair is sixteen operations on 128 bits, a cycle each: products of the first tap, of the second
 * on top of them, then both halves to the sums. Beside each a load of an integer register is free:
 * of the pointers of the next pair, then of its second taps and second weights. First taps are
 * loads to vector registers, which share their cycle with the insertion of the half that came
 * before: five loads and five insertions take six cycles. So 64 products of values take 22.
 * Operations that depend on each other are four apart.
 *
 * v0 to v3 hold the pixels, the first tap in the lower half; v24 the weights, v4 to v7 sums of 16
 * bits, v16 to v19 and v20 to v23 those of 32; x9 to x12 the second taps, x13 to x16 the first. */
#ifndef DPL_NEON_DEPTHWISE_S8_A64_H
#define DPL_NEON_DEPTHWISE_S8_A64_H

#include "dpl/neon/depthwise_taps.h"

/* Reads what READ_AHEAD taps list, and behind the weights as many bytes of a piece's tables. */
INLINED block_sums sum_pairs_a53(const tap_list *taps, int64_t from, const int8_t *piece,
                                 const four_tables *tables) {
    register int32x4_t low0 __asm__("v16") = vld1q_s32(tables[0].bias);
    register int32x4_t low1 __asm__("v17");
    register int32x4_t low2 __asm__("v18");
    register int32x4_t low3 __asm__("v19");
    register int32x4_t high0 __asm__("v20") = vld1q_s32(tables[1].bias);
    register int32x4_t high1 __asm__("v21");
    register int32x4_t high2 __asm__("v22");
    register int32x4_t high3 __asm__("v23");
    const int8_t *const *at = taps->at;
    int64_t pairs = taps->count / 2;
    /* clang-format off */
    __asm__ volatile(
        "ldr x9, [%[at], #32]\n"
        "mov v17.16b, v16.16b\n ldr x13, [%[at]]\n"
        "mov v18.16b, v16.16b\n ldr x10, [%[at], #40]\n"
        "mov v19.16b, v16.16b\n ldr x9, [x9, %[from]]\n"
        "mov v21.16b, v20.16b\n ldr x14, [%[at], #8]\n"
        "ldr d0, [x13, %[from]]\n"
        "mov v22.16b, v20.16b\n ldr x11, [%[at], #48]\n"
        "mov v23.16b, v20.16b\n ldr x10, [x10, %[from]]\n"
        "ldr d1, [x14, %[from]]\n ins v0.d[1], x9\n"
        "ldr x15, [%[at], #16]\n"
        "ldr x12, [%[at], #56]\n"
        "ldr x16, [%[at], #24]\n"
        "ldr x11, [x11, %[from]]\n"
        "ldr d2, [x15, %[from]]\n ins v1.d[1], x10\n"
        "ldr x12, [x12, %[from]]\n add %[at], %[at], #64\n"
        "ldr d3, [x16, %[from]]\n ins v2.d[1], x11\n"
        "ldr q24, [%[w]], #16\n"
        "ins v3.d[1], x12\n"
        "1:\n"
        "smull v4.8h, v0.8b, v24.8b\n ldr x9, [%[at], #32]\n"
        "smull v5.8h, v1.8b, v24.8b\n ldr x10, [%[at], #40]\n"
        "smull v6.8h, v2.8b, v24.8b\n ldr x11, [%[at], #48]\n"
        "smull v7.8h, v3.8b, v24.8b\n ldr x12, [%[at], #56]\n"
        "smlal2 v4.8h, v0.16b, v24.16b\n ldr x13, [%[at]]\n"
        "smlal2 v5.8h, v1.16b, v24.16b\n ldr x14, [%[at], #8]\n"
        "smlal2 v6.8h, v2.16b, v24.16b\n ldr x15, [%[at], #16]\n"
        "smlal2 v7.8h, v3.16b, v24.16b\n ldr x16, [%[at], #24]\n"
        "saddw v16.4s, v16.4s, v4.4h\n ldr x17, [%[w], #8]\n"
        "saddw v17.4s, v17.4s, v5.4h\n ldr x9, [x9, %[from]]\n"
        "saddw v18.4s, v18.4s, v6.4h\n ldr x10, [x10, %[from]]\n"
        "saddw v19.4s, v19.4s, v7.4h\n ldr x11, [x11, %[from]]\n"
        "ldr d24, [%[w]]\n add %[at], %[at], #64\n"
        "ldr d0, [x13, %[from]]\n ins v24.d[1], x17\n"
        "saddw2 v20.4s, v20.4s, v4.8h\n ldr x12, [x12, %[from]]\n"
        "ldr d1, [x14, %[from]]\n ins v0.d[1], x9\n"
        "saddw2 v21.4s, v21.4s, v5.8h\n subs %[pairs], %[pairs], #1\n"
        "ldr d2, [x15, %[from]]\n ins v1.d[1], x10\n"
        "ldr d3, [x16, %[from]]\n ins v2.d[1], x11\n"
        "saddw2 v22.4s, v22.4s, v6.8h\n add %[w], %[w], #16\n"
        "ins v3.d[1], x12\n"
        "saddw2 v23.4s, v23.4s, v7.8h\n b.ne 1b\n"
        : [at] "+r"(at), [w] "+r"(piece), [pairs] "+r"(pairs), "+w"(low0), "=w"(low1), "=w"(low2),
          "=w"(low3), "+w"(high0), "=w"(high1), "=w"(high2), "=w"(high3)
        : [from] "r"(from)
        : "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17", "v0", "v1", "v2", "v3",
          "v4", "v5", "v6", "v7", "v24", "cc", "memory");
    /* clang-format on */
    const block_sums sums = {{low0, high0}, {low1, high1}, {low2, high2}, {low3, high3}};
    return sums;
}

#endif

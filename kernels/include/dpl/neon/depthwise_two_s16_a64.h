/* Sums of taps of int16 for two outputs of each channel, as a Cortex-A53 issues them
 * (docs/cortex-a53.md).
 *
 * Both take the pixels that were loaded once: a tap is sixteen products on 128 bits and six
 * vectors, whose first halves are loads that share a cycle with the insertion of the half that came
 * before. Loads of general registers stand beside products, but for the last pointer: 23 cycles for
 * 64 products of values, where one output after the other takes 30.
 *
 * As in depthwise_s16_a64.h; v8 to v11 and v12 to v15 hold the second sums, v26 and v27 the second
 * weights, of which x8 is the last half. */
#ifndef DPL_NEON_DEPTHWISE_TWO_S16_A64_H
#define DPL_NEON_DEPTHWISE_TWO_S16_A64_H

#include "dpl/neon/depthwise_taps.h"

/* Of the first and of the second output of each channel. */
typedef struct {
    block_sums first, second;
} two_sums;

/* A tap with the weights W and V, while the next one's go to N and M. Its pointers end at THIRD,
 * whose address may be updated, and LAST. */
#define TAP(W, N, V, M, FIRST, SECOND, THIRD, LAST)                                                \
    "ldr d" N ", [%[w]], #16\n ins v3.d[1], x16\n"                                                 \
    "smlal v16.4s, v0.4h, v" W ".4h\n ldr x13, [x9, %[high]]\n"                                    \
    "smlal2 v20.4s, v0.8h, v" W ".8h\n ldr x14, [x10, %[high]]\n"                                  \
    "smlal v8.4s, v0.4h, v" V ".4h\n ldr x15, [x11, %[high]]\n"                                    \
    "smlal2 v12.4s, v0.8h, v" V ".8h\n ldr x16, [x12, %[high]]\n"                                  \
    "smlal v17.4s, v1.4h, v" W ".4h\n ldr x8, [%[v], #8]\n"                                        \
    "ldr d0, [x9, %[from]]\n ins v" N ".d[1], x17\n"                                               \
    "smlal2 v21.4s, v1.8h, v" W ".8h\n ldr x9, " FIRST "\n"                                        \
    "smlal v9.4s, v1.4h, v" V ".4h\n ldr x17, [%[w], #8]\n"                                        \
    "smlal2 v13.4s, v1.8h, v" V ".8h\n"                                                            \
    "smlal v18.4s, v2.4h, v" W ".4h\n"                                                             \
    "ldr d1, [x10, %[from]]\n ins v0.d[1], x13\n"                                                  \
    "smlal2 v22.4s, v2.8h, v" W ".8h\n ldr x10, " SECOND "\n"                                      \
    "ldr d" M ", [%[v]], #16\n ins v1.d[1], x14\n"                                                 \
    "smlal v10.4s, v2.4h, v" V ".4h\n"                                                             \
    "smlal2 v14.4s, v2.8h, v" V ".8h\n"                                                            \
    "ldr d2, [x11, %[from]]\n ins v" M ".d[1], x8\n"                                               \
    "smlal v19.4s, v3.4h, v" W ".4h\n ldr x11, " THIRD "\n"                                        \
    "smlal2 v23.4s, v3.8h, v" W ".8h\n"                                                            \
    "smlal v11.4s, v3.4h, v" V ".4h\n"                                                             \
    "smlal2 v15.4s, v3.8h, v" V ".8h\n"                                                            \
    "ldr d3, [x12, %[from]]\n ins v2.d[1], x15\n"                                                  \
    "ldr x12, " LAST "\n"

/* Reads as much as sum_taps_a53, of both pieces. */
INLINED two_sums sum_two_a53(const tap_list *taps, int64_t from, const int8_t *piece,
                             const four_tables *tables) {
    register int32x4_t low0 __asm__("v16");
    register int32x4_t low1 __asm__("v17");
    register int32x4_t low2 __asm__("v18");
    register int32x4_t low3 __asm__("v19");
    register int32x4_t high0 __asm__("v20");
    register int32x4_t high1 __asm__("v21");
    register int32x4_t high2 __asm__("v22");
    register int32x4_t high3 __asm__("v23");
    const int8_t *next = (const int8_t *)(tables + 2);
    const four_tables *second = tables_of(taps, next, sizeof(int16_t));
    register int32x4_t also_low0 __asm__("v8");
    register int32x4_t also_low1 __asm__("v9");
    register int32x4_t also_low2 __asm__("v10");
    register int32x4_t also_low3 __asm__("v11");
    register int32x4_t also_high0 __asm__("v12");
    register int32x4_t also_high1 __asm__("v13");
    register int32x4_t also_high2 __asm__("v14");
    register int32x4_t also_high3 __asm__("v15");
    const int8_t *const *at = taps->at;
    const int64_t high = from + 8;
    int64_t pairs = (taps->count + 1) / 2, odd = taps->count % 2;
    /* clang-format off */
    __asm__ volatile(
        "ldr q16, [%[biases]]\n ldr q20, [%[biases], #64]\n"
        "ldr q8, [%[others]]\n ldr q12, [%[others], #64]\n"
        "ldr q24, [%[w]], #16\n"
        "ldr q26, [%[v]], #16\n"
        "ldr x13, [%[at]]\n"
        "mov v17.16b, v16.16b\n ldr x14, [%[at], #8]\n"
        "mov v18.16b, v16.16b\n ldr x15, [%[at], #16]\n"
        "mov v19.16b, v16.16b\n ldr x16, [%[at], #24]\n"
        "mov v25.16b, v24.16b\n ldr x9, [%[at], #32]\n"
        "mov v27.16b, v26.16b\n"
        "ldr d3, [x16, %[from]]\n"
        "mov v21.16b, v20.16b\n ldr x16, [x16, %[high]]\n"
        "ldr q0, [x13, %[from]]\n"
        "mov v22.16b, v20.16b\n ldr x10, [%[at], #40]\n"
        "ldr q1, [x14, %[from]]\n"
        "mov v23.16b, v20.16b\n ldr x11, [%[at], #48]\n"
        "ldr q2, [x15, %[from]]\n"
        "mov v9.16b, v8.16b\n ldr x12, [%[at], #56]\n"
        "mov v10.16b, v8.16b\n add %[at], %[at], #112\n"
        "mov v11.16b, v8.16b\n ldr x17, [%[w], #8]\n"
        "mov v13.16b, v12.16b\n"
        "mov v14.16b, v12.16b\n"
        "mov v15.16b, v12.16b\n cbz %[odd], 1f\n"
        "sub %[at], %[at], #32\n subs %[pairs], %[pairs], #1\n"
        "b 2f\n"
        "1:\n"
        TAP("24", "25", "26", "27", "[%[at], #-48]", "[%[at], #-40]", "[%[at], #-32]",
            "[%[at], #-24]")
        "subs %[pairs], %[pairs], #1\n"
        "2:\n"
        TAP("25", "24", "27", "26", "[%[at], #-16]", "[%[at], #-8]", "[%[at]], #64",
            "[%[at], #-56]")
        "b.ne 1b\n"
        : [at] "+r"(at), [w] "+r"(piece), [v] "+r"(next), [pairs] "+r"(pairs), "=w"(low0),
          "=w"(low1), "=w"(low2), "=w"(low3), "=w"(high0), "=w"(high1), "=w"(high2), "=w"(high3),
          "=w"(also_low0), "=w"(also_low1), "=w"(also_low2), "=w"(also_low3), "=w"(also_high0),
          "=w"(also_high1), "=w"(also_high2), "=w"(also_high3)
        : [from] "r"(from), [high] "r"(high), [odd] "r"(odd), [biases] "r"(tables[0].bias),
          [others] "r"(second[0].bias)
        : "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17", "v0", "v1", "v2",
          "v3", "v24", "v25", "v26", "v27", "cc", "memory");
    /* clang-format on */
    const two_sums sums = {{{low0, high0}, {low1, high1}, {low2, high2}, {low3, high3}},
                           {{also_low0, also_high0},
                            {also_low1, also_high1},
                            {also_low2, also_high2},
                            {also_low3, also_high3}}};
    return sums;
}

#undef TAP

#endif

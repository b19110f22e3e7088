/* Sums of taps of int16, eight channels of four pixels, and their outputs by the rule Q32, as a
 * Cortex-A53 issues them (docs/cortex-a53.md).
 *
 * A tap is eight products on 128 bits, a cycle each, and five vectors, whose first halves are
 * loads that share a cycle with the insertion of the half that came before. Of its ten loads of
 * general registers nine stand beside products and the last beside the loop's own instructions: 14
 * cycles for 32 products of values. Pointers are loaded two taps ahead, all else one.
 *
 * v0 to v3 hold the pixels, v24 and v25 the weights of this tap and of the next, v16 to v19 and v20
 * to v23 the sums of the first and the last four channels; x9 to x12 point to the next tap, x13 to
 * x16 are its last halves, x17 that of weights. */
#ifndef DPL_NEON_DEPTHWISE_S16_A64_H
#define DPL_NEON_DEPTHWISE_S16_A64_H

#include "dpl/neon/depthwise_q32_a64.h"
#include "dpl/neon/depthwise_taps.h"

/* A tap with the weights W, while the next one's go to N. Its pointers end at THIRD, whose address
 * may be updated, and LAST. */
#define TAP(W, N, FIRST, SECOND, THIRD, LAST)                                                      \
    "ldr d" N ", [%[w]], #16\n ins v3.d[1], x16\n"                                                 \
    "smlal v16.4s, v0.4h, v" W ".4h\n ldr x13, [x9, %[high]]\n"                                    \
    "smlal2 v20.4s, v0.8h, v" W ".8h\n ldr x14, [x10, %[high]]\n"                                  \
    "smlal v17.4s, v1.4h, v" W ".4h\n ldr x15, [x11, %[high]]\n"                                   \
    "ldr d0, [x9, %[from]]\n ins v" N ".d[1], x17\n"                                               \
    "smlal2 v21.4s, v1.8h, v" W ".8h\n ldr x16, [x12, %[high]]\n"                                  \
    "ldr d1, [x10, %[from]]\n ins v0.d[1], x13\n"                                                  \
    "smlal v18.4s, v2.4h, v" W ".4h\n ldr x9, " FIRST "\n"                                         \
    "smlal2 v22.4s, v2.8h, v" W ".8h\n ldr x10, " SECOND "\n"                                      \
    "ldr d2, [x11, %[from]]\n ins v1.d[1], x14\n"                                                  \
    "smlal v19.4s, v3.4h, v" W ".4h\n ldr x11, " THIRD "\n"                                        \
    "smlal2 v23.4s, v3.8h, v" W ".8h\n ldr x17, [%[w], #8]\n"                                      \
    "ldr d3, [x12, %[from]]\n ins v2.d[1], x15\n"                                                  \
    "ldr x12, " LAST "\n"

/* Reads what READ_AHEAD taps list, and behind the weights as much of a piece's tables. An odd tap
 * enters the loop at its second one. */
INLINED block_sums sum_taps_a53(const tap_list *taps, int64_t from, const int8_t *piece,
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
    const int64_t high = from + 8;
    int64_t pairs = (taps->count + 1) / 2, odd = taps->count % 2;
    /* clang-format off */
    __asm__ volatile(
        "ldr q24, [%[w]], #16\n"
        "ldr x13, [%[at]]\n"
        "mov v17.16b, v16.16b\n ldr x14, [%[at], #8]\n"
        "mov v18.16b, v16.16b\n ldr x15, [%[at], #16]\n"
        "mov v19.16b, v16.16b\n ldr x16, [%[at], #24]\n"
        "mov v25.16b, v24.16b\n ldr x9, [%[at], #32]\n"
        "ldr d3, [x16, %[from]]\n"
        "mov v21.16b, v20.16b\n ldr x16, [x16, %[high]]\n"
        "ldr q0, [x13, %[from]]\n"
        "mov v22.16b, v20.16b\n ldr x10, [%[at], #40]\n"
        "ldr q1, [x14, %[from]]\n"
        "mov v23.16b, v20.16b\n ldr x11, [%[at], #48]\n"
        "ldr q2, [x15, %[from]]\n"
        "ldr x12, [%[at], #56]\n add %[at], %[at], #112\n"
        "ldr x17, [%[w], #8]\n"
        "cbz %[odd], 1f\n"
        "sub %[at], %[at], #32\n subs %[pairs], %[pairs], #1\n"
        "b 2f\n"
        "1:\n"
        TAP("24", "25", "[%[at], #-48]", "[%[at], #-40]", "[%[at], #-32]", "[%[at], #-24]")
        "subs %[pairs], %[pairs], #1\n"
        "2:\n"
        TAP("25", "24", "[%[at], #-16]", "[%[at], #-8]", "[%[at]], #64", "[%[at], #-56]")
        "b.ne 1b\n"
        : [at] "+r"(at), [w] "+r"(piece), [pairs] "+r"(pairs), "+w"(low0), "=w"(low1), "=w"(low2),
          "=w"(low3), "+w"(high0), "=w"(high1), "=w"(high2), "=w"(high3)
        : [from] "r"(from), [high] "r"(high), [odd] "r"(odd)
        : "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17", "v0", "v1", "v2", "v3",
          "v24", "v25", "cc", "memory");
    /* clang-format on */
    const block_sums sums = {{low0, high0}, {low1, high1}, {low2, high2}, {low3, high3}};
    return sums;
}

#undef TAP

/* Rows of three taps whose pixels are neighbours: `step` bytes from one to the next, so that six of
 * them are loaded for twelve products. A row takes 24 cycles of products and ten of loads, as
 * above. Loads for the next are made where a pixel or weights are needed no more; of the last row
 * they repeat its own pixels, and of weights read a piece's tables.
 *
 * v0 to v5 hold the pixels, v24 to v26 the weights; x9 to x14 point to the next row's pixels. */
INLINED block_sums sum_sliding_a53(const tap_list *taps, int64_t from, const int8_t *piece,
                                   const four_tables *tables, int64_t rows, int64_t step) {
    register int32x4_t low0 __asm__("v16") = vld1q_s32(tables[0].bias);
    register int32x4_t low1 __asm__("v17");
    register int32x4_t low2 __asm__("v18");
    register int32x4_t low3 __asm__("v19");
    register int32x4_t high0 __asm__("v20") = vld1q_s32(tables[1].bias);
    register int32x4_t high1 __asm__("v21");
    register int32x4_t high2 __asm__("v22");
    register int32x4_t high3 __asm__("v23");
    const int8_t *const *at = taps->at;
    /* clang-format off */
    __asm__ volatile(
        "ldr x9, [%[at]]\n"
        "ldr x5, [%[w], #8]\n"
        "add x9, x9, %[from]\n"
        "add x10, x9, %[step]\n add x11, x9, %[step], lsl #1\n"
        "add x12, x10, %[step], lsl #1\n"
        "mov v17.16b, v16.16b\n add x13, x11, %[step], lsl #1\n"
        "mov v18.16b, v16.16b\n ldr x2, [x9, #8]\n"
        "mov v19.16b, v16.16b\n ldr x4, [x10, #8]\n"
        "mov v21.16b, v20.16b\n ldr x6, [x11, #8]\n"
        FIRST_HALF(0, "x9") "add x14, x12, %[step], lsl #1\n"
        FIRST_HALF(1, "x10") LAST_HALF(0, "x2")
        "mov v22.16b, v20.16b\n ldr x2, [x12, #8]\n"
        FIRST_HALF(2, "x11") LAST_HALF(1, "x4")
        "mov v23.16b, v20.16b\n ldr x4, [x13, #8]\n"
        FIRST_HALF(3, "x12") LAST_HALF(2, "x6")
        "ldr x6, [x14, #8]\n"
        FIRST_HALF(4, "x13") LAST_HALF(3, "x2")
        "ldr x3, [%[w], #24]\n"
        "ldr x8, [%[w], #40]\n"
        FIRST_HALF(5, "x14") LAST_HALF(4, "x4")
        FIRST_HALF(24, "%[w]") LAST_HALF(5, "x6")
        FIRST_HALF(25, "%[w], #16") LAST_HALF(24, "x5")
        FIRST_HALF(26, "%[w], #32") LAST_HALF(25, "x3")
        LAST_HALF(26, "x8") "add %[w], %[w], #48\n"
        "1:\n"
        PRODUCT(16, 20, 24, 0, "subs %[rows], %[rows], #1\n", "mov x9, #96\n")
        PRODUCT(16, 20, 25, 1, "csel x9, xzr, x9, eq\n", "add %[at], %[at], x9\n")
        PRODUCT(17, 21, 24, 1, "ldr x5, [%[w], #8]\n", "ldr x3, [%[w], #24]\n")
        PRODUCT(16, 20, 26, 2, "ldr x9, [%[at]]\n", "ldr x8, [%[w], #40]\n")
        PRODUCT(17, 21, 25, 2, "add x9, x9, %[from]\n", "add x10, x9, %[step]\n")
        PRODUCT(18, 22, 24, 2, "add x11, x9, %[step], lsl #1\n", "add x12, x10, %[step], lsl #1\n")
        PRODUCT(17, 21, 26, 3, "ldr x2, [x9, #8]\n", "ldr x4, [x10, #8]\n")
        FIRST_HALF(0, "x9") "add x13, x11, %[step], lsl #1\n"
        FIRST_HALF(1, "x10") LAST_HALF(0, "x2")
        FIRST_HALF(2, "x11") LAST_HALF(1, "x4")
        PRODUCT(18, 22, 25, 3, "ldr x6, [x11, #8]\n", "add x14, x12, %[step], lsl #1\n")
        PRODUCT(19, 23, 24, 3, "ldr x2, [x12, #8]\n", "ldr x4, [x13, #8]\n")
        FIRST_HALF(3, "x12") LAST_HALF(2, "x6")
        FIRST_HALF(24, "%[w]") LAST_HALF(3, "x2")
        PRODUCT(18, 22, 26, 4, "add %[w], %[w], #48\n", "ldr x6, [x14, #8]\n")
        PRODUCT(19, 23, 25, 4, "", "")
        FIRST_HALF(4, "x13") LAST_HALF(24, "x5")
        FIRST_HALF(25, "%[w], #-32") LAST_HALF(4, "x4")
        PRODUCT(19, 23, 26, 5, "", "")
        FIRST_HALF(5, "x14") LAST_HALF(25, "x3")
        FIRST_HALF(26, "%[w], #-16") LAST_HALF(5, "x6")
        LAST_HALF(26, "x8") "b.ne 1b\n"
        : [at] "+r"(at), [w] "+r"(piece), [rows] "+r"(rows), "+w"(low0), "=w"(low1), "=w"(low2),
          "=w"(low3), "+w"(high0), "=w"(high1), "=w"(high2), "=w"(high3)
        : [from] "r"(from), [step] "r"(step)
        : "x2", "x3", "x4", "x5", "x6", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "v0", "v1", "v2", "v3", "v4", "v5", "v24", "v25", "v26", "cc", "memory");
    /* clang-format on */
    const block_sums sums = {{low0, high0}, {low1, high1}, {low2, high2}, {low3, high3}};
    return sums;
}

/* A tap with the weights W of pixels A to D, while the next weights go to N and the pixel behind D
 * to A, whose last half comes with the next tap: D has its own here. EXIT behind the last one. */
#define SLID(A, B, C, D, W, N, EXIT)                                                               \
    "smlal v16.4s, v" A ".4h, v" W ".4h\n"                                                         \
    "smlal2 v20.4s, v" A ".8h, v" W ".8h\n ldr x17, [%[w], #8]\n"                                  \
    "ldr d" N ", [%[w]], #16\n ins v" D ".d[1], x10\n"                                             \
    "smlal v17.4s, v" B ".4h, v" W ".4h\n ldr x10, [x9, #8]\n"                                     \
    "smlal2 v21.4s, v" B ".8h, v" W ".8h\n subs x11, x11, #1\n"                                    \
    "ldr d" A ", [x9]\n ins v" N ".d[1], x17\n"                                                    \
    "smlal v18.4s, v" C ".4h, v" W ".4h\n csel x12, %[step], xzr, gt\n"                            \
    "smlal2 v22.4s, v" C ".8h, v" W ".8h\n add x9, x9, x12\n"                                      \
    "smlal v19.4s, v" D ".4h, v" W ".4h\n"                                                         \
    "smlal2 v23.4s, v" D ".8h, v" W ".8h\n b.mi " EXIT "\n"

/* Rows of four taps or more whose pixels are neighbours: every tap loads one pixel, that behind the
 * four it has. It takes eight cycles of products and two of loads, a row twelve more to begin. The
 * last tap of a row repeats a load, and behind the last weights as much of a piece's tables is
 * read.
 *
 * v0 to v3 hold the pixels by turns, v24 and v25 the weights; x9 points to the next pixel, x10 is
 * its last half, x11 counts taps; x13 to x16 point to the first pixels of the next row. */
INLINED block_sums sum_long_rows_a53(const tap_list *taps, int64_t from, const int8_t *piece,
                                     const four_tables *tables, int64_t width, int64_t step) {
    register int32x4_t low0 __asm__("v16") = vld1q_s32(tables[0].bias);
    register int32x4_t low1 __asm__("v17");
    register int32x4_t low2 __asm__("v18");
    register int32x4_t low3 __asm__("v19");
    register int32x4_t high0 __asm__("v20") = vld1q_s32(tables[1].bias);
    register int32x4_t high1 __asm__("v21");
    register int32x4_t high2 __asm__("v22");
    register int32x4_t high3 __asm__("v23");
    const int8_t *const *at = taps->at;
    int64_t left = taps->count;
    /* clang-format off */
    __asm__ volatile(
        "ldr x13, [%[at]]\n"
        "ldr x17, [%[w], #8]\n"
        "ldr d24, [%[w]], #16\n"
        "add x13, x13, %[from]\n"
        "mov v17.16b, v16.16b\n add x14, x13, %[step]\n"
        "mov v18.16b, v16.16b\n add x15, x13, %[step], lsl #1\n"
        "mov v19.16b, v16.16b\n add x16, x14, %[step], lsl #1\n"
        "mov v21.16b, v20.16b\n"
        "mov v22.16b, v20.16b\n"
        "mov v23.16b, v20.16b\n"
        "ins v24.d[1], x17\n"
        "1:\n"
        "ldr q0, [x13]\n"
        "ldr q1, [x14]\n"
        "ldr q2, [x15]\n"
        "ldr d3, [x16]\n add %[at], %[at], %[width], lsl #5\n"
        "ldr x10, [x16, #8]\n add x9, x16, %[step]\n"
        "ldr x13, [%[at]]\n sub x11, %[width], #1\n"
        "sub %[left], %[left], %[width]\n"
        "2:\n"
        SLID("0", "1", "2", "3", "24", "25", "3f")
        SLID("1", "2", "3", "0", "25", "24", "4f")
        SLID("2", "3", "0", "1", "24", "25", "3f")
        SLID("3", "0", "1", "2", "25", "24", "4f")
        "b 2b\n"
        "3:\n"
        "mov v24.16b, v25.16b\n"
        "4:\n"
        "add x13, x13, %[from]\n"
        "add x14, x13, %[step]\n add x15, x13, %[step], lsl #1\n"
        "add x16, x14, %[step], lsl #1\n"
        "cbnz %[left], 1b\n"
        : [at] "+r"(at), [w] "+r"(piece), [left] "+r"(left), "+w"(low0), "=w"(low1), "=w"(low2),
          "=w"(low3), "+w"(high0), "=w"(high1), "=w"(high2), "=w"(high3)
        : [from] "r"(from), [step] "r"(step), [width] "r"(width)
        : "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17", "v0", "v1", "v2", "v3",
          "v24", "v25", "cc", "memory");
    /* clang-format on */
    const block_sums sums = {{low0, high0}, {low1, high1}, {low2, high2}, {low3, high3}};
    return sums;
}

#undef SLID

_Static_assert(PIXELS * sizeof(int8_t *) == 32, "from a tap's pointers to the next one's");

/* Of a block, limited. */
typedef struct {
    int16x8_t p0, p1, p2, p3;
} block_vectors;

/* Limits. */
typedef struct {
    int16x8_t lowest, highest;
} usual_outputs;

INLINED usual_outputs usual_of(const dpl_requant *q, const four_tables *tables) {
    const usual_outputs by = {vdupq_n_s16((int16_t)q->low), vdupq_n_s16((int16_t)q->high)};
    (void)tables;
    return by;
}

/* As in depthwise_q32_a64.h where the zero point is 0, as that of int16 is. */
INLINED block_vectors outputs_by(const usual_outputs *by, const four_tables *tables,
                                 block_sums sums) {
    register int32x4_t low0 __asm__("v16") = sums.p0.low;
    register int32x4_t low1 __asm__("v17") = sums.p1.low;
    register int32x4_t low2 __asm__("v18") = sums.p2.low;
    register int32x4_t low3 __asm__("v19") = sums.p3.low;
    register int32x4_t high0 __asm__("v20") = sums.p0.high;
    register int32x4_t high1 __asm__("v21") = sums.p1.high;
    register int32x4_t high2 __asm__("v22") = sums.p2.high;
    register int32x4_t high3 __asm__("v23") = sums.p3.high;
    /* clang-format off */
    __asm__(LOAD_MULTIPLIERS
            ROUNDED_Q32
            "smax v16.8h, v16.8h, %[lowest].8h\n smax v17.8h, v17.8h, %[lowest].8h\n"
            "smin v16.8h, v16.8h, %[highest].8h\n smin v17.8h, v17.8h, %[highest].8h\n"
            "smax v18.8h, v18.8h, %[lowest].8h\n smax v19.8h, v19.8h, %[lowest].8h\n"
            "smin v18.8h, v18.8h, %[highest].8h\n smin v19.8h, v19.8h, %[highest].8h\n"
            : "+w"(low0), "+w"(low1), "+w"(low2), "+w"(low3), "+w"(high0), "+w"(high1),
              "+w"(high2), "+w"(high3)
            : [tables] "r"(tables), "m"(tables[0]), "m"(tables[1]), [lowest] "w"(by->lowest),
              [highest] "w"(by->highest)
            : "v24", "v25");
    /* clang-format on */
    const block_vectors outputs = {vreinterpretq_s16_s32(low0), vreinterpretq_s16_s32(low1),
                                   vreinterpretq_s16_s32(low2), vreinterpretq_s16_s32(low3)};
    return outputs;
}

_Static_assert(3 * PIXELS * sizeof(int8_t *) == 96, "from a row's pointers to the next one's");

#endif

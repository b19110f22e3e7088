/* Four channels of pixels or two to as many planes, as a Cortex-A53 issues it (docs/cortex-a53.md).
 *
 * Four cells of four channels are a block: 13 cycles, of which eight are loads and stores, with
 * transpositions of half a cycle each beside them. The next block's pixels are loaded before the
 * cells of one are stored. The last block overlaps the one before.
 *
 * v0 to v3 hold pixels, v4 to v7 pairs of them, v16 to v19 channels; x8 and x17 are where the next
 * pixels and the cells are, from the first ones. */
#ifndef DPL_NEON_PLANES_FILL_A64_H
#define DPL_NEON_PLANES_FILL_A64_H

#include "dpl/neon/planes_shape.h"
#include "dpl/neon/simd.h"

/* clang-format off */
#if ELEMENT_BYTES == 2
#define PIXEL "d"
/* What is issued beside the first transpositions. */
#define TRANSPOSE(A, B, C)                                                                         \
    A "trn1 v4.4h, v0.4h, v1.4h\n" B "trn2 v5.4h, v0.4h, v1.4h\n"                                  \
    C "trn1 v6.4h, v2.4h, v3.4h\n trn2 v7.4h, v2.4h, v3.4h\n"                                      \
    "trn1 v16.2s, v4.2s, v6.2s\n trn2 v18.2s, v4.2s, v6.2s\n"
#define TRANSPOSE_REST "trn1 v17.2s, v5.2s, v7.2s\n", "trn2 v19.2s, v5.2s, v7.2s\n"
#else
#define PIXEL "s"
#define TRANSPOSE(A, B, C)                                                                         \
    A "zip1 v4.8b, v0.8b, v1.8b\n" B "zip1 v6.8b, v2.8b, v3.8b\n" C                                \
    "zip1 v5.4h, v4.4h, v6.4h\n zip2 v7.4h, v4.4h, v6.4h\n"                                        \
    "sshll v16.8h, v5.8b, #0\n sshll v18.8h, v7.8b, #0\n"
#define TRANSPOSE_REST "dup d17, v16.d[1]\n", "dup d19, v18.d[1]\n"
#endif
#define LOAD_PIXELS_BY(A, B)                                                                       \
    "ldr " PIXEL "0, [%[p0], x8]\n" A "ldr " PIXEL "1, [%[p1], x8]\n" B                            \
    "ldr " PIXEL "2, [%[p2], x8]\n ldr " PIXEL "3, [%[p3], x8]\n"
#define LOAD_PIXELS(...) LOAD_PIXELS_BY(__VA_ARGS__)
#define BOTH_OF(A, B) A B
#define BOTH(...) BOTH_OF(__VA_ARGS__)
/* The first channel last: planes that are not asked for lie where it goes. */
#define STORE_CHANNELS                                                                             \
    "str d19, [%[t3], x17]\n str d18, [%[t2], x17]\n"                                              \
    "str d17, [%[t1], x17]\n str d16, [%[t0], x17]\n"

/* `count` cells, four at least, `channels` of four that are read. */
static inline void fill_some_a53(const plane_row *row, int channels) {
    const int64_t step = row->step, four = FOUR * step, last = row->count - FOUR;
    const int64_t last_pixel = last * step, last_cell = 2 * last;
    const int8_t *p0 = row->from, *p1 = p0 + step, *p2 = p1 + step, *p3 = p2 + step;
    int16_t *t0 = row->to, *t1 = t0 + row->apart;
    int16_t *t2 = channels > 2 ? t1 + row->apart : t0, *t3 = channels > 3 ? t2 + row->apart : t0;
    int64_t blocks = (row->count - 1) / FOUR;
    __asm__ volatile(
        "mov x8, #0\n mov x17, #0\n"
        LOAD_PIXELS("", "")
        "cbz %[blocks], 2f\n"
        "1:\n"
        TRANSPOSE("subs %[blocks], %[blocks], #1\n", "add x7, x8, %[four]\n",
                  "csel x8, x7, %[last_pixel], gt\n")
        LOAD_PIXELS(TRANSPOSE_REST)
        STORE_CHANNELS
        "add x17, x17, #8\n"
        "b.gt 1b\n"
        "2:\n"
        TRANSPOSE("mov x17, %[last_cell]\n", "", "")
        BOTH(TRANSPOSE_REST)
        STORE_CHANNELS
        : [blocks] "+r"(blocks)
        : [p0] "r"(p0), [p1] "r"(p1), [p2] "r"(p2), [p3] "r"(p3), [t0] "r"(t0), [t1] "r"(t1),
          [t2] "r"(t2), [t3] "r"(t3), [four] "r"(four), [last_pixel] "r"(last_pixel),
          [last_cell] "r"(last_cell)
        : "x7", "x8", "x17", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17", "v18",
          "v19", "cc", "memory");
}

/* Where the next eight pixels and cells are: the last ones overlap those before. */
#define NEXT_EIGHT                                                                                 \
    "add x8, x8, %[eight]\n cmp x8, %[last_pixel]\n"                                               \
    "csel x8, x8, %[last_pixel], lt\n"
#define NEXT_CELLS_OF_EIGHT                                                                        \
    "add x17, x17, #16\n cmp x17, %[last_cell]\n csel x17, x17, %[last_cell], lt\n"

#if ELEMENT_BYTES == 2
/* Eight cells at a time, of which a load and a store each share their cycle with a transposition:
 * while eight pixels become pairs the cells before them are stored, while pairs become channels the
 * next pixels are loaded. 20 cycles, where two blocks of four take 32.
 *
 * v0 to v7 hold pixels, v16 to v23 pairs of them, v24 to v31 channels. */
#define PAIRS(A, B, X, Y, MORE, LESS)                                                              \
    "trn1 v" #X ".4h, v" #A ".4h, v" #B ".4h\n" MORE                                               \
    "trn2 v" #Y ".4h, v" #A ".4h, v" #B ".4h\n" LESS
#define ALL_PAIRS(A, B, C, D, E, F, G, H)                                                          \
    PAIRS(0, 1, 16, 17, A, B) PAIRS(2, 3, 18, 19, C, D) PAIRS(4, 5, 20, 21, E, F)                  \
    PAIRS(6, 7, 22, 23, G, H)
#define CHANNELS_OF(A, B, X, Y, MORE, LESS)                                                        \
    "trn1 v" #X ".2s, v" #A ".2s, v" #B ".2s\n" MORE                                               \
    "trn2 v" #Y ".2s, v" #A ".2s, v" #B ".2s\n" LESS
#define LOADED(V) "ldr d" #V ", [%[p" #V "], x8]\n"
#define STORED(V, T, AT) "str d" #V ", [%[t" #T "], x" #AT "]\n"
/* The next pixels, whose place is then that of those behind them. */
#define ALL_CHANNELS                                                                               \
    CHANNELS_OF(16, 18, 24, 26, LOADED(0), LOADED(1))                                              \
    CHANNELS_OF(17, 19, 25, 27, LOADED(2), LOADED(3))                                              \
    CHANNELS_OF(20, 22, 28, 30, LOADED(4), LOADED(5))                                              \
    CHANNELS_OF(21, 23, 29, 31, LOADED(6), LOADED(7))
/* As fill_some_a53, of eight cells at least. */
static inline void fill_eight_a53(const plane_row *row, int channels) {
    const int64_t step = row->step, eight = EIGHT * step, last = row->count - EIGHT;
    const int64_t last_pixel = last * step, last_cell = 2 * last;
    const int8_t *p0 = row->from, *p1 = p0 + step, *p2 = p1 + step, *p3 = p2 + step;
    const int8_t *p4 = p3 + step, *p5 = p4 + step, *p6 = p5 + step, *p7 = p6 + step;
    int16_t *t0 = row->to, *t1 = t0 + row->apart;
    int16_t *t2 = channels > 2 ? t1 + row->apart : t0, *t3 = channels > 3 ? t2 + row->apart : t0;
    int64_t blocks = (row->count - 1) / EIGHT;
    __asm__ volatile(
        "mov x8, #0\n mov x17, #0\n mov x16, #8\n"
        LOADED(0) LOADED(1) LOADED(2) LOADED(3) LOADED(4) LOADED(5) LOADED(6) LOADED(7)
        NEXT_EIGHT
        ALL_PAIRS("", "", "", "", "", "", "", "")
        ALL_CHANNELS
        "cbz %[blocks], 2f\n"
        "1:\n"
        NEXT_EIGHT
        ALL_PAIRS(STORED(27, 3, 17), STORED(26, 2, 17), STORED(25, 1, 17), STORED(24, 0, 17),
                  STORED(31, 3, 16), STORED(30, 2, 16), STORED(29, 1, 16), STORED(28, 0, 16))
        NEXT_CELLS_OF_EIGHT
        ALL_CHANNELS
        "subs %[blocks], %[blocks], #1\n add x16, x17, #8\n"
        "b.ne 1b\n"
        "2:\n"
        STORED(27, 3, 17) STORED(26, 2, 17) STORED(25, 1, 17) STORED(24, 0, 17)
        STORED(31, 3, 16) STORED(30, 2, 16) STORED(29, 1, 16) STORED(28, 0, 16)
        : [blocks] "+r"(blocks)
        : [p0] "r"(p0), [p1] "r"(p1), [p2] "r"(p2), [p3] "r"(p3), [p4] "r"(p4), [p5] "r"(p5),
          [p6] "r"(p6), [p7] "r"(p7), [t0] "r"(t0), [t1] "r"(t1), [t2] "r"(t2), [t3] "r"(t3),
          [eight] "r"(eight), [last_pixel] "r"(last_pixel), [last_cell] "r"(last_cell)
        : "x8", "x16", "x17", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17", "v18",
          "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31",
          "cc", "memory");
}
#endif

/* Two channels of eight cells at a time: eight loads, each beside a transposition of the pixels
 * before, then their cells: 14 cycles.
 *
 * v0 to v7 hold pixels, v16 to v19 two or four of them by channels, v20 to v23 cells. */
#if ELEMENT_BYTES == 2
#define PAIR "s"
#define PAIRED(X, A, B) "zip1 v" #X ".4h, v" #A ".4h, v" #B ".4h\n"
#define PART_PAIRS(A, B, C, D, E)                                                                  \
    "zip1 v20.2s, v16.2s, v17.2s\n" A "zip2 v21.2s, v16.2s, v17.2s\n" B                            \
    "zip1 v22.2s, v18.2s, v19.2s\n" C "zip2 v23.2s, v18.2s, v19.2s\n" D                            \
    "sub %[blocks], %[blocks], #1\n" E
#define STORE_PAIRS(A, B)                                                                          \
    "add x16, x17, #8\n str d20, [%[t0], x17]\n" A "str d21, [%[t1], x17]\n add x17, x17, #16\n"   \
    "str d22, [%[t0], x16]\n" B "str d23, [%[t1], x16]\n cmp x17, %[last_cell]\n"                  \
    "csel x17, x17, %[last_cell], lt\n"
#else
#define PAIR "h"
#define PAIRED(X, A, B) "zip1 v" #X ".8b, v" #A ".8b, v" #B ".8b\n"
#define PART_PAIRS(A, B, C, D, E)                                                                  \
    "zip1 v20.4h, v16.4h, v17.4h\n" A "zip1 v21.4h, v18.4h, v19.4h\n" B C                          \
    "sub %[blocks], %[blocks], #1\n zip1 v22.2s, v20.2s, v21.2s\n" D                              \
    "zip2 v23.2s, v20.2s, v21.2s\n" E "sshll v22.8h, v22.8b, #0\n add x16, x17, #16\n"            \
    "sshll v23.8h, v23.8b, #0\n"
#define STORE_PAIRS(A, B)                                                                          \
    "str q22, [%[t0], x17]\n" A "str q23, [%[t1], x17]\n" B                                        \
    "cmp x16, %[last_cell]\n csel x17, x16, %[last_cell], lt\n"
#endif
#define LOADED_PAIR(V) "ldr " PAIR #V ", [%[p" #V "], x8]\n"

/* The first two channels of eight cells at least. */
static inline void fill_two_a53(const plane_row *row) {
    const int64_t step = row->step, eight = EIGHT * step, last = row->count - EIGHT;
    const int64_t last_pixel = last * step, last_cell = 2 * last;
    const int8_t *p0 = row->from, *p1 = p0 + step, *p2 = p1 + step, *p3 = p2 + step;
    const int8_t *p4 = p3 + step, *p5 = p4 + step, *p6 = p5 + step, *p7 = p6 + step;
    int64_t blocks = row->count / EIGHT + (row->count % EIGHT > 0);
    __asm__ volatile(
        "mov x8, #0\n mov x17, #0\n"
        LOADED_PAIR(0) LOADED_PAIR(1) LOADED_PAIR(2) LOADED_PAIR(3)
        LOADED_PAIR(4) LOADED_PAIR(5) LOADED_PAIR(6) LOADED_PAIR(7)
        NEXT_EIGHT
        "1:\n"
        PAIRED(16, 0, 1) PAIRED(17, 2, 3) LOADED_PAIR(0)
        PAIRED(18, 4, 5) LOADED_PAIR(1) PAIRED(19, 6, 7) LOADED_PAIR(2)
        PART_PAIRS(LOADED_PAIR(3), LOADED_PAIR(4), LOADED_PAIR(5), LOADED_PAIR(6), LOADED_PAIR(7))
        "add x8, x8, %[eight]\n"
        STORE_PAIRS("cmp x8, %[last_pixel]\n", "csel x8, x8, %[last_pixel], lt\n")
        "cbnz %[blocks], 1b\n"
        : [blocks] "+r"(blocks)
        : [p0] "r"(p0), [p1] "r"(p1), [p2] "r"(p2), [p3] "r"(p3), [p4] "r"(p4), [p5] "r"(p5),
          [p6] "r"(p6), [p7] "r"(p7), [t0] "r"(row->to), [t1] "r"(row->to + row->apart),
          [eight] "r"(eight), [last_pixel] "r"(last_pixel), [last_cell] "r"(last_cell)
        : "x8", "x16", "x17", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17", "v18",
          "v19", "v20", "v21", "v22", "v23", "cc", "memory");
}
/* clang-format on */

#endif

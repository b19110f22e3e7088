/* Four channels of pixels to as many planes, as a Cortex-A53 issues it (docs/cortex-a53.md).
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
/* clang-format on */

#endif

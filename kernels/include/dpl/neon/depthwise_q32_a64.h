/* Outputs of int8 by the rule Q32, eight channels of four pixels, as a Cortex-A53 issues them
 * (docs/cortex-a53.md).
 *
 * Twice the high word of a product in a cycle, half of that, rounded and narrowed, in half of one,
 * in pairs of such as do not depend on each other. The zero point is added in 16 bits, where sums
 * that do not fit are beyond what int8 keeps.
 *
 * v16 to v19 hold the first four channels, v20 to v23 the last. */
#ifndef DPL_NEON_DEPTHWISE_Q32_A64_H
#define DPL_NEON_DEPTHWISE_Q32_A64_H

#include "dpl/neon/depthwise_taps.h"

/* Pixel P's products with the weights W, of the pixel X of a row, with what is issued behind each.
 */
#define PRODUCT(P, Q, W, X, A, B)                                                                  \
    "smlal v" #P ".4s, v" #X ".4h, v" #W ".4h\n" A "smlal2 v" #Q ".4s, v" #X ".8h, v" #W ".8h\n" B
#define FIRST_HALF(V, AT) "ldr d" #V ", [" AT "]\n"
#define LAST_HALF(V, X) "ins v" #V ".d[1], " X "\n"

/* Of the first and the last four channels, to v24 and v25. */
#define LOAD_MULTIPLIERS "ldr q24, [%[tables], #16]\n ldr q25, [%[tables], #80]\n"
_Static_assert(sizeof(four_tables) == 64, "from a table's multipliers to the next one's: 64 bytes");

/* Of sums in v16 to v23: pixels of eight halfwords in v16 to v19, rounded. */
#define ROUNDED_Q32                                                                                \
    "sqdmulh v16.4s, v16.4s, v24.4s\n sqdmulh v17.4s, v17.4s, v24.4s\n"                            \
    "sqdmulh v18.4s, v18.4s, v24.4s\n sqdmulh v19.4s, v19.4s, v24.4s\n"                            \
    "sqdmulh v20.4s, v20.4s, v25.4s\n"                                                             \
    "sqrshrn v16.4h, v16.4s, #1\n sqrshrn v17.4h, v17.4s, #1\n"                                    \
    "sqdmulh v21.4s, v21.4s, v25.4s\n"                                                             \
    "sqrshrn v18.4h, v18.4s, #1\n sqrshrn v19.4h, v19.4s, #1\n"                                    \
    "sqdmulh v22.4s, v22.4s, v25.4s\n sqdmulh v23.4s, v23.4s, v25.4s\n"                            \
    "sqrshrn2 v16.8h, v20.4s, #1\n sqrshrn2 v17.8h, v21.4s, #1\n"                                  \
    "sqrshrn2 v18.8h, v22.4s, #1\n sqrshrn2 v19.8h, v23.4s, #1\n"

/* Of a block, limited. */
typedef struct {
    int8x8_t p0, p1, p2, p3;
} narrow_vectors;

/* Pixels are narrowed to vectors of their own, whose limits take half a cycle each, so that no
 * narrowing waits for another. */
INLINED narrow_vectors outputs_q32_a53(const four_tables *tables, int16x8_t zero, int8x8_t lowest,
                                       int8x8_t highest, block_sums sums) {
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
            "sqadd v16.8h, v16.8h, %[zero].8h\n sqadd v17.8h, v17.8h, %[zero].8h\n"
            "sqadd v18.8h, v18.8h, %[zero].8h\n sqadd v19.8h, v19.8h, %[zero].8h\n"
            "sqxtn v16.8b, v16.8h\n sqxtn v17.8b, v17.8h\n"
            "sqxtn v18.8b, v18.8h\n sqxtn v19.8b, v19.8h\n"
            "smax v16.8b, v16.8b, %[lowest].8b\n smax v17.8b, v17.8b, %[lowest].8b\n"
            "smax v18.8b, v18.8b, %[lowest].8b\n smax v19.8b, v19.8b, %[lowest].8b\n"
            "smin v16.8b, v16.8b, %[highest].8b\n smin v17.8b, v17.8b, %[highest].8b\n"
            "smin v18.8b, v18.8b, %[highest].8b\n smin v19.8b, v19.8b, %[highest].8b\n"
            : "+w"(low0), "+w"(low1), "+w"(low2), "+w"(low3), "+w"(high0), "+w"(high1),
              "+w"(high2), "+w"(high3)
            : [tables] "r"(tables), "m"(tables[0]), "m"(tables[1]), [zero] "w"(zero),
              [lowest] "w"(lowest), [highest] "w"(highest)
            : "v24", "v25");
    /* clang-format on */
    const narrow_vectors outputs = {
        vget_low_s8(vreinterpretq_s8_s32(low0)), vget_low_s8(vreinterpretq_s8_s32(low1)),
        vget_low_s8(vreinterpretq_s8_s32(low2)), vget_low_s8(vreinterpretq_s8_s32(low3))};
    return outputs;
}

#endif

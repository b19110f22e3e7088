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

/* Of sums in v16 to v23: pixels of eight halfwords in v16 to v19, rounded. */
#define ROUNDED_Q32                                                                                \
    "sqdmulh v16.4s, v16.4s, %[low].4s\n sqdmulh v17.4s, v17.4s, %[low].4s\n"                      \
    "sqdmulh v18.4s, v18.4s, %[low].4s\n sqdmulh v19.4s, v19.4s, %[low].4s\n"                      \
    "sqdmulh v20.4s, v20.4s, %[high].4s\n sqdmulh v21.4s, v21.4s, %[high].4s\n"                    \
    "sqrshrn v16.4h, v16.4s, #1\n sqrshrn v17.4h, v17.4s, #1\n"                                    \
    "sqdmulh v22.4s, v22.4s, %[high].4s\n sqdmulh v23.4s, v23.4s, %[high].4s\n"                    \
    "sqrshrn v18.4h, v18.4s, #1\n sqrshrn v19.4h, v19.4s, #1\n"                                    \
    "sqrshrn2 v16.8h, v20.4s, #1\n sqrshrn2 v17.8h, v21.4s, #1\n"                                  \
    "sqrshrn2 v18.8h, v22.4s, #1\n sqrshrn2 v19.8h, v23.4s, #1\n"

/* Before they are limited; two pixels a vector. */
typedef struct {
    int8x16_t first, last;
} block_outputs;

INLINED block_outputs outputs_q32_a53(const four_tables *tables, int16x8_t zero, block_sums sums) {
    register int32x4_t low0 __asm__("v16") = sums.p0.low;
    register int32x4_t low1 __asm__("v17") = sums.p1.low;
    register int32x4_t low2 __asm__("v18") = sums.p2.low;
    register int32x4_t low3 __asm__("v19") = sums.p3.low;
    register int32x4_t high0 __asm__("v20") = sums.p0.high;
    register int32x4_t high1 __asm__("v21") = sums.p1.high;
    register int32x4_t high2 __asm__("v22") = sums.p2.high;
    register int32x4_t high3 __asm__("v23") = sums.p3.high;
    const int32x4_t low = vld1q_s32(tables[0].multiplier), high = vld1q_s32(tables[1].multiplier);
    /* clang-format off */
    __asm__(ROUNDED_Q32
            "sqadd v16.8h, v16.8h, %[zero].8h\n sqadd v17.8h, v17.8h, %[zero].8h\n"
            "sqadd v18.8h, v18.8h, %[zero].8h\n sqadd v19.8h, v19.8h, %[zero].8h\n"
            "sqxtn v16.8b, v16.8h\n sqxtn v18.8b, v18.8h\n"
            "sqxtn2 v16.16b, v17.8h\n sqxtn2 v18.16b, v19.8h\n"
            : "+w"(low0), "+w"(low1), "+w"(low2), "+w"(low3), "+w"(high0), "+w"(high1),
              "+w"(high2), "+w"(high3)
            : [low] "w"(low), [high] "w"(high), [zero] "w"(zero));
    /* clang-format on */
    const block_outputs outputs = {vreinterpretq_s8_s32(low0), vreinterpretq_s8_s32(low2)};
    return outputs;
}

#endif

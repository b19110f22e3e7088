/* Outputs of int8 by the rule Q32, eight channels of four pixels, as a Cortex-A53 issues them
 * (docs/cortex-a53.md).
 *
 * A product of 64 bits takes a cycle and gives two; RSHRN, its second half and narrowing operations
 * take half of one, in pairs of such as do not depend on each other. In C gcc makes RADDHN of them,
 * which takes two cycles. The zero point is added in 16 bits, where sums that do not fit are beyond
 * what int8 keeps.
 *
 * v16 to v19 hold the first four channels, v20 to v23 the last, v0 to v7 products. */
#ifndef DPL_NEON_DEPTHWISE_Q32_A64_H
#define DPL_NEON_DEPTHWISE_Q32_A64_H

#include "dpl/neon/depthwise_taps.h"

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
    __asm__("smull v0.2d, v16.2s, %[low].2s\n smull2 v1.2d, v16.4s, %[low].4s\n"
            "smull v2.2d, v17.2s, %[low].2s\n smull2 v3.2d, v17.4s, %[low].4s\n"
            "smull v4.2d, v18.2s, %[low].2s\n smull2 v5.2d, v18.4s, %[low].4s\n"
            "smull v6.2d, v19.2s, %[low].2s\n smull2 v7.2d, v19.4s, %[low].4s\n"
            "rshrn v16.2s, v0.2d, #32\n rshrn v17.2s, v2.2d, #32\n"
            "smull v0.2d, v20.2s, %[high].2s\n"
            "smull v2.2d, v21.2s, %[high].2s\n"
            "rshrn v18.2s, v4.2d, #32\n rshrn v19.2s, v6.2d, #32\n"
            "smull v4.2d, v22.2s, %[high].2s\n"
            "rshrn2 v16.4s, v1.2d, #32\n rshrn2 v17.4s, v3.2d, #32\n"
            "smull2 v1.2d, v20.4s, %[high].4s\n smull2 v3.2d, v21.4s, %[high].4s\n"
            "rshrn2 v18.4s, v5.2d, #32\n rshrn2 v19.4s, v7.2d, #32\n"
            "smull v6.2d, v23.2s, %[high].2s\n"
            "rshrn v20.2s, v0.2d, #32\n rshrn v21.2s, v2.2d, #32\n"
            "smull2 v5.2d, v22.4s, %[high].4s\n smull2 v7.2d, v23.4s, %[high].4s\n"
            "sqxtn v16.4h, v16.4s\n sqxtn v17.4h, v17.4s\n"
            "rshrn v22.2s, v4.2d, #32\n rshrn v23.2s, v6.2d, #32\n"
            "rshrn2 v20.4s, v1.2d, #32\n rshrn2 v21.4s, v3.2d, #32\n"
            "sqxtn v18.4h, v18.4s\n sqxtn v19.4h, v19.4s\n"
            "rshrn2 v22.4s, v5.2d, #32\n rshrn2 v23.4s, v7.2d, #32\n"
            "sqxtn2 v16.8h, v20.4s\n sqxtn2 v17.8h, v21.4s\n"
            "sqxtn2 v18.8h, v22.4s\n sqxtn2 v19.8h, v23.4s\n"
            "sqadd v16.8h, v16.8h, %[zero].8h\n sqadd v17.8h, v17.8h, %[zero].8h\n"
            "sqadd v18.8h, v18.8h, %[zero].8h\n sqadd v19.8h, v19.8h, %[zero].8h\n"
            "sqxtn v16.8b, v16.8h\n sqxtn v18.8b, v18.8h\n"
            "sqxtn2 v16.16b, v17.8h\n sqxtn2 v18.16b, v19.8h\n"
            : "+w"(low0), "+w"(low1), "+w"(low2), "+w"(low3), "+w"(high0), "+w"(high1),
              "+w"(high2), "+w"(high3)
            : [low] "w"(low), [high] "w"(high), [zero] "w"(zero)
            : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7");
    /* clang-format on */
    const block_outputs outputs = {vreinterpretq_s8_s32(low0), vreinterpretq_s8_s32(low2)};
    return outputs;
}

#endif

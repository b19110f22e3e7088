/* Outputs of int8 by the rule Q32, four pixels of four channels, as a Cortex-A53 issues them
 * (docs/cortex-a53.md).
 *
 * High words of sums that begin with half a unit and the zero point are the outputs: UZP2 takes
 * them in a cycle, where RSHRN and its second half take two that wait for each other. DUP from a
 * general register takes half a cycle, so all eight sums begin in four. Limits are those of 16
 * bits, since UZP1 then narrows both vectors at once. Operations that depend on each other stand as
 * far apart as four pixels allow.
 *
 * v16 to v19 hold the pixels, v20 to v23 and v24 to v27 products of their first and last channels,
 * v0 the biases, v1 the multipliers, v2 and v3 the limits. */
#ifndef DPL_NEON_OUTPUTS_Q32_A64_H
#define DPL_NEON_OUTPUTS_Q32_A64_H

#include "dpl/neon/scale.h"

static inline int8x16_t outputs_q32_4x4_a53(const four_tables *tables, const int32x4_t *sums,
                                            int32_t lowest, int32_t highest) {
    register int32x4_t s0 __asm__("v16") = sums[0];
    register int32x4_t s1 __asm__("v17") = sums[1];
    register int32x4_t s2 __asm__("v18") = sums[2];
    register int32x4_t s3 __asm__("v19") = sums[3];
    const int64_t begin = tables->rounding[0] * (INT64_C(1) << 32) + (INT64_C(1) << 31);
    /* clang-format off */
    __asm__("ldr x9, [%[tables], #8]\n"
            "ldr x10, [%[tables], #24]\n"
            "ldr d0, [%[tables]]\n dup v20.2d, %[begin]\n"
            "ldr d1, [%[tables], #16]\n ins v0.d[1], x9\n"
            "dup v24.2d, %[begin]\n ins v1.d[1], x10\n"
            "add v16.4s, v16.4s, v0.4s\n add v18.4s, v18.4s, v0.4s\n"
            "add v17.4s, v17.4s, v0.4s\n add v19.4s, v19.4s, v0.4s\n"
            "smlal v20.2d, v16.2s, v1.2s\n smlal2 v24.2d, v16.4s, v1.4s\n"
            "dup v22.2d, %[begin]\n dup v26.2d, %[begin]\n"
            "dup v21.2d, %[begin]\n dup v25.2d, %[begin]\n"
            "smlal v22.2d, v18.2s, v1.2s\n smlal2 v26.2d, v18.4s, v1.4s\n"
            "dup v23.2d, %[begin]\n dup v27.2d, %[begin]\n"
            "smlal v21.2d, v17.2s, v1.2s\n smlal2 v25.2d, v17.4s, v1.4s\n"
            "smlal v23.2d, v19.2s, v1.2s\n smlal2 v27.2d, v19.4s, v1.4s\n"
            "uzp2 v16.4s, v20.4s, v24.4s\n uzp2 v18.4s, v22.4s, v26.4s\n"
            "uzp2 v17.4s, v21.4s, v25.4s\n"
            "sqxtn v16.4h, v16.4s\n sqxtn v18.4h, v18.4s\n"
            "uzp2 v19.4s, v23.4s, v27.4s\n"
            "dup v2.8h, %w[lowest]\n dup v3.8h, %w[highest]\n"
            "sqxtn2 v16.8h, v17.4s\n sqxtn2 v18.8h, v19.4s\n"
            "smax v16.8h, v16.8h, v2.8h\n smax v18.8h, v18.8h, v2.8h\n"
            "smin v16.8h, v16.8h, v3.8h\n smin v18.8h, v18.8h, v3.8h\n"
            "uzp1 v16.16b, v16.16b, v18.16b\n"
            : "+w"(s0), "+w"(s1), "+w"(s2), "+w"(s3)
            : [tables] "r"(tables), [begin] "r"(begin), [lowest] "r"(lowest), [highest] "r"(highest),
              "m"(*tables)
            : "x9", "x10", "v0", "v1", "v2", "v3", "v20", "v21", "v22", "v23", "v24", "v25", "v26",
              "v27");
    /* clang-format on */
    return vreinterpretq_s8_s32(s0);
}

#endif

/* Four neighbouring output channels at once. */
#ifndef DPL_CORTEX_M_FOUR_H
#define DPL_CORTEX_M_FOUR_H

#include "dpl/cortex_m/simd.h"

/* Whether smmlar and ssat are all there is to requantization. */
static inline int by_high_word(const dpl_requant *q) {
    return q->rule == DPL_Q32 && q->low == -128 && q->high == 127;
}

/* Four sums to four outputs by the high-word rule; m: their multipliers. 9 cycles. */
static inline void finish_four(const int32_t *sums, const int32_t *m, int32_t zero, int8_t *out) {
#if defined(__ARM_FEATURE_DSP)
    int32_t s0, s1, s2, s3;
    __asm__ volatile("ldr %[s0], [%[sums]]\n ldr %[s1], [%[sums], #4]\n"
                     "ldr %[s2], [%[sums], #8]\n ldr %[s3], [%[sums], #12]\n"
                     "smmlar %[s0], %[s0], %[m0], %[zero]\n"
                     "smmlar %[s1], %[s1], %[m1], %[zero]\n"
                     "smmlar %[s2], %[s2], %[m2], %[zero]\n ssat %[s0], #8, %[s0]\n"
                     "smmlar %[s3], %[s3], %[m3], %[zero]\n ssat %[s1], #8, %[s1]\n"
                     "strb %[s0], [%[out]]\n ssat %[s2], #8, %[s2]\n"
                     "strb %[s1], [%[out], #1]\n ssat %[s3], #8, %[s3]\n"
                     "strb %[s2], [%[out], #2]\n strb %[s3], [%[out], #3]\n"
                     : [s0] "=&r"(s0), [s1] "=&r"(s1), [s2] "=&r"(s2), [s3] "=&r"(s3)
                     : [sums] "r"(sums), [m0] "r"(m[0]), [m1] "r"(m[1]), [m2] "r"(m[2]),
                       [m3] "r"(m[3]), [zero] "r"(zero), [out] "r"(out)
                     : "memory");
#else
    for (int32_t i = 0; i < 4; i++) {
        out[i] = (int8_t)saturate8(scale_high(sums[i], m[i], zero));
    }
#endif
}

#endif

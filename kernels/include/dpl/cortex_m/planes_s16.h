/* What dpl/cortex_m/planes_conv.h needs of int16: outputs are any or, from 0 on, ReLUs. */
#ifndef DPL_CORTEX_M_PLANES_S16_H
#define DPL_CORTEX_M_PLANES_S16_H

#include "dpl/body/s16.h"
#include "dpl/cortex_m/simd.h"

#define BITS "16"
#define STORE "strh"

static inline int32_t saturate(int32_t x) {
    return saturate16(x);
}

#if defined(__ARM_FEATURE_DSP)
#define RELU_WORDS                                                                                 \
    "ldr %[x0], %[m]\n ldr %[x1], %[zero]\n"                                                       \
    "smmlar %[s0], %[s0], %[x0], %[x1]\n smmlar %[s1], %[s1], %[x0], %[x1]\n"                      \
    "usat %[s0], #15, %[s0]\n smmlar %[s2], %[s2], %[x0], %[x1]\n"                                 \
    "usat %[s1], #15, %[s1]\n smmlar %[s3], %[s3], %[x0], %[x1]\n"                                 \
    "usat %[s2], #15, %[s2]\n usat %[s3], #15, %[s3]\n"
#endif

static inline int is_relu(const dpl_requant *q) {
    return q->low == 0 && q->rounding[0] == 0;
}

#endif

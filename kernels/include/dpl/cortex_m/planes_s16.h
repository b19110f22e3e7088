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

/* Four channels of two pixels to words of each, `next` words apart. */
static inline void pack_four(const int16_t *first, const int16_t *second, int32_t next,
                             uint32_t *to) {
    const uint32_t a = load_word(first), b = load_word(second);
    const uint32_t c = load_word(first + 2), d = load_word(second + 2);
    to[0] = low_halves(a, b);
    to[next] = high_halves(a, b);
    to[2 * next] = low_halves(c, d);
    to[3 * next] = high_halves(c, d);
}

#endif

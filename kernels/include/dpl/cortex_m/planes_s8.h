/* What dpl/cortex_m/planes_conv.h needs of int8: outputs are any or those from `low` on. */
#ifndef DPL_CORTEX_M_PLANES_S8_H
#define DPL_CORTEX_M_PLANES_S8_H

#include "dpl/body/s8.h"
#include "dpl/cortex_m/simd.h"

#define BITS "8"
#define STORE "strb"

static inline int32_t saturate(int32_t x) {
    return saturate8(x);
}

#if defined(__ARM_FEATURE_DSP)
/* What is above `low` is 0 to 255, then no more than 127. */
#define RELU_WORDS                                                                                 \
    "ldr %[x0], %[m]\n ldr %[x1], %[zero]\n"                                                       \
    "smmlar %[s0], %[s0], %[x0], %[x1]\n smmlar %[s1], %[s1], %[x0], %[x1]\n"                      \
    "usat %[s0], #8, %[s0]\n smmlar %[s2], %[s2], %[x0], %[x1]\n"                                  \
    "usat %[s1], #8, %[s1]\n smmlar %[s3], %[s3], %[x0], %[x1]\n"                                  \
    "usat %[s2], #8, %[s2]\n ldr %[x0], %[low]\n"                                                  \
    "usat %[s3], #8, %[s3]\n add %[s0], %[s0], %[x0]\n add %[s1], %[s1], %[x0]\n"                  \
    "add %[s2], %[s2], %[x0]\n ssat %[s0], #8, %[s0]\n add %[s3], %[s3], %[x0]\n"                  \
    "ssat %[s1], #8, %[s1]\n ssat %[s2], #8, %[s2]\n ssat %[s3], #8, %[s3]\n"
#endif

static inline int is_relu(const dpl_requant *q) {
    (void)q;
    return 1;
}

/* Four channels of two pixels to words of each, `next` words apart: halves are joined first, so
 * that an extension makes a word. */
static inline void pack_four(const int8_t *first, const int8_t *second, int32_t next,
                             uint32_t *to) {
    const uint32_t a = load_word(first), b = load_word(second);
    const uint32_t low = low_halves(a, b), high = high_halves(a, b);
    to[0] = even_bytes(low);
    to[next] = odd_bytes(low);
    to[2 * next] = even_bytes(high);
    to[3 * next] = odd_bytes(high);
}

#endif

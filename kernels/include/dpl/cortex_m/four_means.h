/* Four means of int8 at a time. */
#ifndef DPL_CORTEX_M_FOUR_MEANS_H
#define DPL_CORTEX_M_FOUR_MEANS_H

#include "dpl/cortex_m/mean_of.h"
#include "dpl/cortex_m/simd.h"

#define SATURATE saturate8

typedef int16_t folded;
typedef void four_means(const mean *m, const folded *x, int8_t *to, int32_t fours);

#if defined(__ARM_FEATURE_DSP)

/* From sums in s0 to s3: no product is beside a store, and ssat is the older of its pair. */
#define FOUR_MEANS                                                                                 \
    "mla %[s0], %[s0], %[m], %[r]\n ldr %[t], %[end]\n"                                            \
    "mla %[s2], %[s2], %[m], %[r]\n add %[x], %[x], #8\n"                                          \
    "mla %[s1], %[s1], %[m], %[r]\n asr %[s0], %[s0], %[shift]\n"                                  \
    "mla %[s3], %[s3], %[m], %[r]\n asr %[s2], %[s2], %[shift]\n"                                  \
    "ssat %[s0], #8, %[s0]\n asr %[s1], %[s1], %[shift]\n"                                         \
    "ssat %[s2], #8, %[s2]\n asr %[s3], %[s3], %[shift]\n"                                         \
    "ssat %[s1], #8, %[s1]\n strb %[s0], [%[to]], #4\n"                                            \
    "ssat %[s3], #8, %[s3]\n strb %[s2], [%[to], #-2]\n"                                           \
    "cmp %[x], %[t]\n strb %[s1], [%[to], #-3]\n"                                                  \
    "strb %[s3], [%[to], #-1]\n bne 1b\n"

/* 12 cycles. Halfwords of neighbouring words pair, those of one word share its bank. */
static __attribute__((noinline)) void means_of_one(const mean *j, const folded *x, int8_t *to,
                                                   int32_t fours) {
    const folded *end = x + 4 * fours;
    int32_t s0, s1, s2, s3, t;
    __asm__ volatile(
        "1:\n"
        "ldrsh %[s0], [%[x]]\n ldrsh %[s2], [%[x], #4]\n"
        "ldrsh %[s1], [%[x], #2]\n ldrsh %[s3], [%[x], #6]\n" FOUR_MEANS
        : [x] "+r"(x), [to] "+r"(to), [s0] "=&r"(s0), [s1] "=&r"(s1), [s2] "=&r"(s2),
          [s3] "=&r"(s3), [t] "=&r"(t)
        : [m] "r"(j->multiplier), [r] "r"(j->rounding), [shift] "r"(j->shift), [end] "m"(end)
        : "cc", "memory");
}

#else

static void means_of_one(const mean *m, const folded *from, int8_t *to, int32_t fours) {
    for (int32_t i = 0; i < 4 * fours; i++) {
        to[i] = (int8_t)saturate8((from[i] * m->multiplier + m->rounding) >> m->shift);
    }
}

#endif

/* Neighbouring ones, four or more: the last are four over those before. */
static inline void all_means_of_one(const mean *m, const folded *from, int8_t *to, int32_t count) {
    means_of_one(m, from, to, count / 4);
    if (count % 4 > 0) {
        means_of_one(m, from + count - 4, to + count - 4, 1);
    }
}

#endif

/* Four means of int8 at a time. */
#ifndef DPL_CORTEX_M_MEANS_S8_H
#define DPL_CORTEX_M_MEANS_S8_H

#include "dpl/cortex_m/mean_of.h"
#include "dpl/cortex_m/simd.h"

#define SATURATE saturate8

#if defined(__ARM_FEATURE_DSP)

/* Halfwords of neighbouring words pair, those of one word share its bank. */
#define FIRST_COLUMN                                                                               \
    "ldrsh %[s0], [%[x]]\n ldrsh %[s2], [%[x], #4]\n"                                              \
    "ldrsh %[s1], [%[x], #2]\n ldrsh %[s3], [%[x], #6]\n"
#define NEXT_COLUMN                                                                                \
    "ldrsh %[t], [%[p]]\n ldrsh %[u], [%[p], #4]\n"                                                \
    "ldrsh %[v], [%[p], #2]\n add %[s0], %[s0], %[t]\n"                                            \
    "ldrsh %[t], [%[p], #6]\n add %[s2], %[s2], %[u]\n"                                            \
    "add %[s1], %[s1], %[v]\n add %[s3], %[s3], %[t]\n"
#define SECOND_COLUMN NEXT_COLUMN "add %[p], %[p], #8\n"
#define OTHER_COLUMNS                                                                              \
    "ldr %[v], %[tap]\n ldr %[left], %[taps]\n mov %[p], %[x]\n"                                   \
    "2: add %[p], %[p], %[v]\n" NEXT_COLUMN                                                        \
    "ldr %[v], %[tap]\n subs %[left], %[left], #1\n bne 2b\n"
/* No product is beside a store, and ssat is the older of its pair. */
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

#define MEANS(NAME, COLUMNS)                                                                       \
    static __attribute__((noinline)) void NAME(const mean *j, const int16_t *x, int8_t *to,        \
                                               int32_t fours) {                                    \
        const int16_t *end = x + 4 * fours, *p = x + j->tap;                                       \
        const int32_t tap = j->tap * 2, taps = j->taps - 1;                                        \
        int32_t s0, s1, s2, s3, t, u, v, left;                                                     \
        __asm__ volatile("1:\n" FIRST_COLUMN COLUMNS FOUR_MEANS                                    \
                         : [x] "+r"(x), [to] "+r"(to), [s0] "=&r"(s0), [s1] "=&r"(s1),             \
                           [s2] "=&r"(s2), [s3] "=&r"(s3), [t] "=&r"(t), [u] "=&r"(u),             \
                           [v] "=&r"(v), [p] "+r"(p), [left] "=&r"(left)                           \
                         : [m] "r"(j->multiplier), [r] "r"(j->rounding), [shift] "r"(j->shift),    \
                           [tap] "m"(tap), [taps] "m"(taps), [end] "m"(end)                        \
                         : "cc", "memory");                                                        \
    }

/* 12, 17 and 8 cycles and 8 a column. */
MEANS(means_of_one, "")
MEANS(means_of_two, SECOND_COLUMN)
MEANS(means_of_more, OTHER_COLUMNS)

/* The last of four or more are four over those before. */
static int32_t fast_means(const mean *m, const int16_t *from, int8_t *to, int32_t count) {
    if (count < 4) {
        return 0;
    }
    void (*means)(const mean *, const int16_t *, int8_t *, int32_t) = m->taps == 1 ? means_of_one
                                                                      : m->taps == 2
                                                                          ? means_of_two
                                                                          : means_of_more;
    means(m, from, to, count / 4);
    if (count % 4 > 0) {
        means(m, from + count - 4, to + count - 4, 1);
    }
    return count;
}

#else

static int32_t fast_means(const mean *m, const int16_t *from, int8_t *to, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        int32_t sum = 0;
        for (int32_t t = 0; t < m->taps; t++) {
            sum += from[i + t * m->tap];
        }
        to[i] = (int8_t)saturate8((sum * m->multiplier + m->rounding) >> m->shift);
    }
    return count;
}

#endif

#endif

/* Four means of int8 at a time, of one column of sums or of several that are added first. */
#ifndef DPL_CORTEX_M_MEANS_S8_H
#define DPL_CORTEX_M_MEANS_S8_H

#include "dpl/cortex_m/four_means.h"

#if defined(__ARM_FEATURE_DSP)

/* Two channels in a word: a sum of all columns fits a halfword. */
#define FIRST_COLUMN "1: ldr %[s1], [%[x]]\n ldr %[s3], [%[x], #4]\n add %[p], %[x], %[tap]\n"
#define ADD_COLUMN                                                                                 \
    "ldr %[t], [%[p]]\n ldr %[u], [%[p], #4]\n"                                                    \
    "sadd16 %[s1], %[s1], %[t]\n add %[p], %[p], %[tap]\n"                                         \
    "sadd16 %[s3], %[s3], %[u]\n"
/* By element, where columns begin at halves of words: neighbouring words lie in different banks. */
#define FIRST_HALVES                                                                               \
    "1: ldrsh %[s0], [%[x]]\n ldrsh %[s2], [%[x], #4]\n"                                           \
    "ldrsh %[s1], [%[x], #2]\n ldrsh %[s3], [%[x], #6]\n add %[p], %[x], %[tap]\n"
#define ADD_HALVES                                                                                 \
    "ldrsh %[t], [%[p]]\n ldrsh %[u], [%[p], #4]\n"                                                \
    "add %[s0], %[s0], %[t]\n ldrsh %[t], [%[p], #2]\n"                                            \
    "add %[s2], %[s2], %[u]\n ldrsh %[u], [%[p], #6]\n"                                            \
    "add %[s1], %[s1], %[t]\n add %[p], %[p], %[tap]\n"                                            \
    "add %[s3], %[s3], %[u]\n"
#define HALVES                                                                                     \
    "sxth %[s0], %[s1]\n asr %[s1], %[s1], #16\n"                                                  \
    "sxth %[s2], %[s3]\n asr %[s3], %[s3], #16\n"
#define OTHER_COLUMNS                                                                              \
    "ldr %[s0], %[columns]\n"                                                                      \
    "2: subs %[s0], %[s0], #1\n" ADD_COLUMN "bne 2b\n"

#define MEANS(NAME, FIRST, COLUMNS)                                                                \
    static __attribute__((noinline)) void NAME(const mean *j, const folded *x, int8_t *to,         \
                                               int32_t fours) {                                    \
        const folded *end = x + 4 * fours, *p;                                                     \
        const int32_t tap = j->tap * 2, columns = j->taps - 1;                                     \
        int32_t s0, s1, s2, s3, t, u;                                                              \
        __asm__ volatile(                                                                          \
            FIRST COLUMNS FOUR_MEANS                                                               \
            : [x] "+r"(x), [to] "+r"(to), [s0] "=&r"(s0), [s1] "=&r"(s1), [s2] "=&r"(s2),          \
              [s3] "=&r"(s3), [t] "=&r"(t), [u] "=&r"(u), [p] "=&r"(p)                             \
            : [m] "r"(j->multiplier), [r] "r"(j->rounding), [shift] "r"(j->shift), [tap] "r"(tap), \
              [columns] "m"(columns), [end] "m"(end)                                               \
            : "cc", "memory");                                                                     \
    }

#define ADD_TWO ADD_HALVES ADD_HALVES

MEANS(means_of_two, FIRST_COLUMN, ADD_COLUMN HALVES)
MEANS(means_of_three, FIRST_COLUMN, ADD_COLUMN ADD_COLUMN HALVES)
MEANS(means_of_five, FIRST_COLUMN, ADD_COLUMN ADD_COLUMN ADD_COLUMN ADD_COLUMN HALVES)
MEANS(means_of_more, FIRST_COLUMN, OTHER_COLUMNS HALVES)
MEANS(halves_of_two, FIRST_HALVES, ADD_HALVES)
MEANS(halves_of_three, FIRST_HALVES, ADD_TWO)
MEANS(halves_of_five, FIRST_HALVES, ADD_TWO ADD_TWO)

#else

static void means_of_more(const mean *m, const folded *from, int8_t *to, int32_t fours) {
    for (int32_t i = 0; i < 4 * fours; i++) {
        int32_t sum = 0;
        for (int32_t t = 0; t < m->taps; t++) {
            sum += from[i + t * m->tap];
        }
        to[i] = (int8_t)saturate8((sum * m->multiplier + m->rounding) >> m->shift);
    }
}

#define means_of_two means_of_more
#define means_of_three means_of_more
#define means_of_five means_of_more
#define halves_of_two means_of_more
#define halves_of_three means_of_more
#define halves_of_five means_of_more

#endif

static four_means *means_of(const mean *m) {
    const int odd = m->tap & 1;
    switch (m->taps) {
    case 1: return means_of_one;
    case 2: return odd ? halves_of_two : means_of_two;
    case 3: return odd ? halves_of_three : means_of_three;
    case 5: return odd ? halves_of_five : means_of_five;
    default: return means_of_more;
    }
}

/* Whether sums of all columns fit a halfword, so that they may be added there. */
static int are_halves(const mean *m) {
    return m->entry < DPL_MAX_HALFWORD_TAPS;
}

/* How four at a time are made, 0 where they are not. */
static four_means *fours_of(const mean *m) {
    const dpl_rule rule = m->requant->rule;
    return are_halves(m) && (rule == DPL_I32 || rule == DPL_SHIFT) ? means_of(m) : 0;
}

#endif

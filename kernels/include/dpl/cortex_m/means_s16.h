/* Four means of int16 at a time, of one column of sums or of several that are added first. */
#ifndef DPL_CORTEX_M_MEANS_S16_H
#define DPL_CORTEX_M_MEANS_S16_H

#include "dpl/cortex_m/mean_of.h"
#include "dpl/cortex_m/simd.h"

#define SATURATE saturate16

typedef int32_t folded;
typedef void four_means(const mean *m, const folded *x, int16_t *to, int32_t fours);

#if defined(__ARM_FEATURE_DSP)

#define FIRST_COLUMN                                                                               \
    "1: ldr %[s0], [%[x]]\n ldr %[s1], [%[x], #4]\n"                                               \
    "ldr %[s2], [%[x], #8]\n ldr %[s3], [%[x], #12]\n"
#define ADD_COLUMN                                                                                 \
    "ldr %[t], [%[p]]\n ldr %[u], [%[p], #4]\n"                                                    \
    "add %[s0], %[s0], %[t]\n ldr %[t], [%[p], #8]\n"                                              \
    "add %[s1], %[s1], %[u]\n ldr %[u], [%[p], #12]\n"                                             \
    "add %[s2], %[s2], %[t]\n add %[p], %[p], %[tap]\n"                                            \
    "add %[s3], %[s3], %[u]\n"
#define BEGIN_COLUMNS "add %[p], %[x], %[tap]\n"
#define OTHER_COLUMNS                                                                              \
    BEGIN_COLUMNS "ldr %[left], %[columns]\n"                                                      \
                  "2: subs %[left], %[left], #1\n" ADD_COLUMN "bne 2b\n"
#define AFFINE                                                                                     \
    "mla %[s0], %[s0], %[m], %[r]\n ldr %[t], %[end]\n"                                            \
    "mla %[s1], %[s1], %[m], %[r]\n add %[x], %[x], #16\n"                                         \
    "mla %[s2], %[s2], %[m], %[r]\n asr %[s0], %[s0], %[shift]\n"                                  \
    "mla %[s3], %[s3], %[m], %[r]\n asr %[s1], %[s1], %[shift]\n"                                  \
    "ssat %[s0], #16, %[s0]\n asr %[s2], %[s2], %[shift]\n"                                        \
    "ssat %[s1], #16, %[s1]\n asr %[s3], %[s3], %[shift]\n"
#define HIGH                                                                                       \
    "smmlar %[s0], %[s0], %[m], %[r]\n ldr %[t], %[end]\n"                                         \
    "smmlar %[s1], %[s1], %[m], %[r]\n add %[x], %[x], #16\n"                                      \
    "smmlar %[s2], %[s2], %[m], %[r]\n"                                                            \
    "smmlar %[s3], %[s3], %[m], %[r]\n"                                                            \
    "ssat %[s0], #16, %[s0]\n"                                                                     \
    "ssat %[s1], #16, %[s1]\n"
/* Halfwords are stored by themselves: the output may lie at no word. */
#define STORE_FOUR                                                                                 \
    "ssat %[s2], #16, %[s2]\n strh %[s0], [%[to]], #8\n"                                           \
    "ssat %[s3], #16, %[s3]\n strh %[s1], [%[to], #-6]\n"                                          \
    "cmp %[x], %[t]\n strh %[s2], [%[to], #-4]\n"                                                  \
    "strh %[s3], [%[to], #-2]\n bne 1b\n"

#define MEANS(NAME, COLUMNS, SCALE)                                                                \
    static __attribute__((noinline)) void NAME(const mean *j, const folded *x, int16_t *to,        \
                                               int32_t fours) {                                    \
        const folded *end = x + 4 * fours, *p;                                                     \
        const int32_t tap = j->tap * 4, columns = j->taps - 1;                                     \
        int32_t s0, s1, s2, s3, t, u, left;                                                        \
        __asm__ volatile(                                                                          \
            FIRST_COLUMN COLUMNS SCALE STORE_FOUR                                                  \
            : [x] "+r"(x), [to] "+r"(to), [s0] "=&r"(s0), [s1] "=&r"(s1), [s2] "=&r"(s2),          \
              [s3] "=&r"(s3), [t] "=&r"(t), [u] "=&r"(u), [p] "=&r"(p), [left] "=&r"(left)         \
            : [m] "r"(j->multiplier), [r] "r"(j->rounding), [shift] "r"(j->shift), [tap] "r"(tap), \
              [columns] "m"(columns), [end] "m"(end)                                               \
            : "cc", "memory");                                                                     \
    }

#define TWO_COLUMNS BEGIN_COLUMNS ADD_COLUMN
#define THREE_COLUMNS TWO_COLUMNS ADD_COLUMN
#define FIVE_COLUMNS THREE_COLUMNS ADD_COLUMN ADD_COLUMN

MEANS(affine_of_one, "", AFFINE)
MEANS(affine_of_two, TWO_COLUMNS, AFFINE)
MEANS(affine_of_three, THREE_COLUMNS, AFFINE)
MEANS(affine_of_five, FIVE_COLUMNS, AFFINE)
MEANS(affine_of_more, OTHER_COLUMNS, AFFINE)
MEANS(high_of_one, "", HIGH)
MEANS(high_of_two, TWO_COLUMNS, HIGH)
MEANS(high_of_three, THREE_COLUMNS, HIGH)
MEANS(high_of_five, FIVE_COLUMNS, HIGH)
MEANS(high_of_more, OTHER_COLUMNS, HIGH)

/* How four at a time are made, 0 where they are not. */
static four_means *fours_of(const mean *m) {
    static four_means *const by_columns[2][5] = {
        {affine_of_one, affine_of_two, affine_of_three, affine_of_more, affine_of_five},
        {high_of_one, high_of_two, high_of_three, high_of_more, high_of_five},
    };
    return by_columns[m->requant->rule == DPL_Q32][m->taps > 5 ? 3 : m->taps - 1];
}

#else

static four_means *fours_of(const mean *m) {
    (void)m;
    return 0;
}

#endif

#endif

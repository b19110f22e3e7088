/* Sums over rows of int16, as words. */
#ifndef DPL_CORTEX_M_SUM_ROWS_H
#define DPL_CORTEX_M_SUM_ROWS_H

#include "dpl/cortex_m/means_s16.h"

/* `count` > 0 rows of int16, `step` elements apart. */
typedef struct {
    int32_t step, count;
} row_stack;

#if defined(__ARM_FEATURE_DSP)

/* A word's halves are added by sxtah, the older of a pair, and by a product with 1. */
#define FIRST_ROW                                                                                  \
    "ldr %[s1], [%[x]]\n ldr %[s3], [%[x], #4]\n"                                                  \
    "ldr %[s5], [%[x], #8]\n ldr %[s7], [%[x], #12]\n"                                             \
    "sxth %[s0], %[s1]\n asr %[s1], %[s1], #16\n"                                                  \
    "sxth %[s2], %[s3]\n asr %[s3], %[s3], #16\n"                                                  \
    "sxth %[s4], %[s5]\n asr %[s5], %[s5], #16\n"                                                  \
    "sxth %[s6], %[s7]\n asr %[s7], %[s7], #16\n"                                                  \
    "subs %[left], %[left], #1\n add %[x], %[x], %[step]\n"
#define NEXT_ROW                                                                                   \
    "ldr %[t], [%[x]]\n ldr %[u], [%[x], #4]\n"                                                    \
    "subs %[left], %[left], #1\n"                                                                  \
    "sxtah %[s0], %[s0], %[t]\n smlatb %[s1], %[t], %[one], %[s1]\n"                               \
    "sxtah %[s2], %[s2], %[u]\n ldr %[t], [%[x], #8]\n"                                            \
    "smlatb %[s3], %[u], %[one], %[s3]\n ldr %[u], [%[x], #12]\n"                                  \
    "sxtah %[s4], %[s4], %[t]\n smlatb %[s5], %[t], %[one], %[s5]\n"                               \
    "sxtah %[s6], %[s6], %[u]\n smlatb %[s7], %[u], %[one], %[s7]\n"                               \
    "add %[x], %[x], %[step]\n"
#define STORE_EIGHT                                                                                \
    "ldr %[t], %[to]\n ldr %[u], %[back]\n"                                                        \
    "str %[s0], [%[t]], #32\n sub %[x], %[x], %[u]\n"                                              \
    "str %[s1], [%[t], #-28]\n ldr %[u], %[end]\n"                                                 \
    "str %[s2], [%[t], #-24]\n str %[s3], [%[t], #-20]\n"                                          \
    "str %[s4], [%[t], #-16]\n str %[s5], [%[t], #-12]\n"                                          \
    "str %[s6], [%[t], #-8]\n str %[s7], [%[t], #-4]\n"                                            \
    "str %[t], %[to]\n cmp %[t], %[u]\n bne 2b\n"
/* The same of rows that begin at halves of words: each element is loaded by itself. Neighbouring
 * words lie in different banks. */
#define FIRST_HALVES                                                                               \
    "ldrsh %[s0], [%[x]]\n ldrsh %[s2], [%[x], #4]\n"                                              \
    "ldrsh %[s1], [%[x], #2]\n ldrsh %[s3], [%[x], #6]\n"                                          \
    "ldrsh %[s4], [%[x], #8]\n ldrsh %[s6], [%[x], #12]\n"                                         \
    "ldrsh %[s5], [%[x], #10]\n ldrsh %[s7], [%[x], #14]\n"                                        \
    "subs %[left], %[left], #1\n add %[x], %[x], %[step]\n"
#define NEXT_HALVES                                                                                \
    "ldrsh %[t], [%[x]]\n ldrsh %[u], [%[x], #4]\n"                                                \
    "subs %[left], %[left], #1\n"                                                                  \
    "add %[s0], %[s0], %[t]\n ldrsh %[t], [%[x], #2]\n"                                            \
    "add %[s2], %[s2], %[u]\n ldrsh %[u], [%[x], #6]\n"                                            \
    "add %[s1], %[s1], %[t]\n ldrsh %[t], [%[x], #8]\n"                                            \
    "add %[s3], %[s3], %[u]\n ldrsh %[u], [%[x], #12]\n"                                           \
    "add %[s4], %[s4], %[t]\n ldrsh %[t], [%[x], #10]\n"                                           \
    "add %[s6], %[s6], %[u]\n ldrsh %[u], [%[x], #14]\n"                                           \
    "add %[s5], %[s5], %[t]\n add %[x], %[x], %[step]\n"                                           \
    "add %[s7], %[s7], %[u]\n"

/* `groups` > 0 times eight: of words 8 cycles a row, of halves 10, and about 20 for the rest. */
#define SUM_EIGHTS(NAME, FIRST, NEXT)                                                              \
    static __attribute__((noinline)) void NAME(const int16_t *x, const row_stack *rows,            \
                                               folded *to, int32_t groups) {                       \
        const int32_t count = rows->count, back = count * rows->step * 2 - 16;                     \
        const folded *end = to + 8 * groups;                                                       \
        int32_t s0, s1, s2, s3, s4, s5, s6, s7, t, u, left;                                        \
        __asm__ volatile(                                                                          \
            "2: ldr %[left], %[count]\n" FIRST "beq 3f\n"                                          \
            "1:\n" NEXT "bne 1b\n"                                                                 \
            "3:\n" STORE_EIGHT                                                                     \
            : [x] "+r"(x), [to] "+m"(to), [s0] "=&r"(s0), [s1] "=&r"(s1), [s2] "=&r"(s2),          \
              [s3] "=&r"(s3), [s4] "=&r"(s4), [s5] "=&r"(s5), [s6] "=&r"(s6), [s7] "=&r"(s7),      \
              [t] "=&r"(t), [u] "=&r"(u), [left] "=&r"(left)                                       \
            : [step] "r"(rows->step * 2), [one] "r"(1), [count] "m"(count), [back] "m"(back),      \
              [end] "m"(end)                                                                       \
            : "cc", "memory");                                                                     \
    }

SUM_EIGHTS(sum_words, FIRST_ROW, NEXT_ROW)
SUM_EIGHTS(sum_halves, FIRST_HALVES, NEXT_HALVES)

static void sum_eights(const int16_t *from, const row_stack *rows, folded *to, int32_t groups) {
    const int words = (((uintptr_t)from | (uintptr_t)rows->step * 2) & 3) == 0;
    (words ? sum_words : sum_halves)(from, rows, to, groups);
}

#else

static void sum_eights(const int16_t *from, const row_stack *rows, folded *to, int32_t groups) {
    for (int32_t i = 0; i < 8 * groups; i++) {
        to[i] = from[i];
        for (int32_t t = 1; t < rows->count; t++) {
            to[i] += from[t * rows->step + i];
        }
    }
}

#endif

/* The last of eight or more are eight over those before. */
static void sum_run(const int16_t *from, const row_stack *rows, folded *to, int32_t length) {
    if (length >= 8) {
        sum_eights(from, rows, to, length / 8);
        if (length % 8 > 0) {
            sum_eights(from + length - 8, rows, to + length - 8, 1);
        }
        return;
    }
    for (int32_t i = 0; i < length; i++) {
        int32_t sum = from[i];
        for (int32_t t = 1; t < rows->count; t++) {
            sum += from[t * rows->step + i];
        }
        to[i] = sum;
    }
}

/* Cycles of sixteen sums. */
static inline int32_t sum_cost(const row_stack *rows) {
    return rows->count * ((rows->step & 1) ? 19 : 16) + 28;
}

/* The same of columns of a row that are added for each mean. */
static inline int32_t columns_cost(const dpl_window *w, int32_t channels) {
    (void)channels;
    return 40 * w->stride_width + 20 * (w->kernel_width - 1);
}

#endif

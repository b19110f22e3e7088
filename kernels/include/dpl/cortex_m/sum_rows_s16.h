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
#define ALL_EIGHTS                                                                                 \
    "2: ldr %[left], %[count]\n" FIRST_ROW "beq 3f\n"                                              \
    "1:\n" NEXT_ROW "bne 1b\n"                                                                     \
    "3:\n" STORE_EIGHT

/* `groups` > 0 times eight words that lie at words: 8 cycles a row and about 20 for the rest. */
static __attribute__((noinline)) void sum_eights(const int16_t *x, const row_stack *rows,
                                                 folded *to, int32_t groups) {
    const int32_t count = rows->count, back = count * rows->step * 2 - 16;
    const folded *end = to + 8 * groups;
    int32_t s0, s1, s2, s3, s4, s5, s6, s7, t, u, left;
    __asm__ volatile(ALL_EIGHTS
                     : [x] "+r"(x), [to] "+m"(to), [s0] "=&r"(s0), [s1] "=&r"(s1), [s2] "=&r"(s2),
                       [s3] "=&r"(s3), [s4] "=&r"(s4), [s5] "=&r"(s5), [s6] "=&r"(s6),
                       [s7] "=&r"(s7), [t] "=&r"(t), [u] "=&r"(u), [left] "=&r"(left)
                     : [step] "r"(rows->step * 2), [one] "r"(1), [count] "m"(count),
                       [back] "m"(back), [end] "m"(end)
                     : "cc", "memory");
}

/* How many sums sum_eights makes: none where rows begin at halves of words. */
static int32_t in_eights(const int16_t *from, const row_stack *rows, int32_t length) {
    const int words = (((uintptr_t)from | (uintptr_t)rows->step * 2) & 3) == 0;
    return words ? length & -8 : 0;
}

#else

static int32_t in_eights(const int16_t *from, const row_stack *rows, int32_t length) {
    (void)from, (void)rows, (void)length;
    return 0;
}

static void sum_eights(const int16_t *from, const row_stack *rows, folded *to, int32_t groups) {
    (void)from, (void)rows, (void)to, (void)groups;
}

#endif

/* Words of two share a bank, so that the first and the third of four load as a pair. */
static void sum_run(const int16_t *from, const row_stack *rows, folded *to, int32_t length) {
    const int32_t step = rows->step, count = rows->count;
    int32_t i = in_eights(from, rows, length);
    if (i > 0) {
        sum_eights(from, rows, to, i / 8);
    }
    for (; i + 4 <= length; i += 4) {
        const int16_t *x = from + i;
        int32_t s0 = x[0], s2 = x[2], s1 = x[1], s3 = x[3];
        for (int32_t t = count - 1; t > 0; t--) {
            x += step;
            s0 += x[0];
            s2 += x[2];
            s1 += x[1];
            s3 += x[3];
        }
        to[i] = s0;
        to[i + 1] = s1;
        to[i + 2] = s2;
        to[i + 3] = s3;
    }
    for (; i < length; i++) {
        int32_t sum = from[i];
        for (int32_t t = 1; t < count; t++) {
            sum += from[t * step + i];
        }
        to[i] = sum;
    }
}

#endif

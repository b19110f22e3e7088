/* Sums over the taps of a window, int16: eight channels at a time. */
#ifndef DPL_CORTEX_M_SUM_TAPS_H
#define DPL_CORTEX_M_SUM_TAPS_H

#include "dpl/cortex_m/means_s16.h"

enum { GROUP = 8 };

#include "dpl/cortex_m/tap_list.h"

#if defined(__ARM_FEATURE_DSP)

/* A word's halves are added by sxtah, the older of a pair, and by a product with 1. */
#define FIRST_TAP                                                                                  \
    "ldr %[s1], [%[x]]\n ldr %[s3], [%[x], #4]\n"                                                  \
    "ldr %[s5], [%[x], #8]\n ldr %[s7], [%[x], #12]\n"                                             \
    "sxth %[s0], %[s1]\n ldr %[d], [%[list]], #4\n"                                                \
    "sxth %[s2], %[s3]\n asr %[s1], %[s1], #16\n"                                                  \
    "sxth %[s4], %[s5]\n asr %[s3], %[s3], #16\n"                                                  \
    "sxth %[s6], %[s7]\n asr %[s5], %[s5], #16\n"                                                  \
    "asr %[s7], %[s7], #16\n add %[x], %[x], %[d]\n"
#define NEXT_TAP                                                                                   \
    "ldr %[t], [%[x]]\n ldr %[u], [%[x], #4]\n"                                                    \
    "ldr %[d], [%[list]], #4\n"                                                                    \
    "sxtah %[s0], %[s0], %[t]\n smlatb %[s1], %[t], %[one], %[s1]\n"                               \
    "sxtah %[s2], %[s2], %[u]\n ldr %[t], [%[x], #8]\n"                                            \
    "smlatb %[s3], %[u], %[one], %[s3]\n ldr %[u], [%[x], #12]\n"                                  \
    "sxtah %[s4], %[s4], %[t]\n smlatb %[s5], %[t], %[one], %[s5]\n"                               \
    "ldr %[t], %[stop]\n add %[x], %[x], %[d]\n"                                                   \
    "sxtah %[s6], %[s6], %[u]\n smlatb %[s7], %[u], %[one], %[s7]\n"                               \
    "cmp %[list], %[t]\n"
#define STORE_EIGHT                                                                                \
    "ldr %[t], %[to]\n ldr %[u], %[end]\n"                                                         \
    "str %[s0], [%[t]], #32\n ldr %[list], %[steps]\n"                                             \
    "str %[s1], [%[t], #-28]\n str %[s2], [%[t], #-24]\n"                                          \
    "str %[s3], [%[t], #-20]\n str %[s4], [%[t], #-16]\n"                                          \
    "str %[s5], [%[t], #-12]\n str %[s6], [%[t], #-8]\n"                                           \
    "str %[s7], [%[t], #-4]\n str %[t], %[to]\n"                                                   \
    "cmp %[t], %[u]\n bne 2b\n"

/* `groups` > 0 times eight: 9 cycles a tap and about 20 for the rest. */
static __attribute__((noinline)) void sum_groups(const int16_t *x, const tap_list *taps, folded *to,
                                                 int32_t groups) {
    const int32_t *list = taps->steps;
    const int32_t *const steps = list, *const stop = list + taps->count;
    const folded *const end = to + GROUP * groups;
    int32_t s0, s1, s2, s3, s4, s5, s6, s7, t, u, d;
    __asm__ volatile("2:\n" FIRST_TAP "ldr %[t], %[stop]\n cmp %[list], %[t]\n beq 3f\n"
                     "1:\n" NEXT_TAP "bne 1b\n"
                     "3:\n" STORE_EIGHT
                     : [x] "+r"(x), [s0] "=&r"(s0), [s1] "=&r"(s1), [s2] "=&r"(s2), [s3] "=&r"(s3),
                       [s4] "=&r"(s4), [s5] "=&r"(s5), [s6] "=&r"(s6), [s7] "=&r"(s7), [t] "=&r"(t),
                       [u] "=&r"(u), [d] "=&r"(d), [list] "+r"(list), [to] "+m"(to)
                     : [one] "r"(1), [end] "m"(end), [steps] "m"(steps), [stop] "m"(stop)
                     : "cc", "memory");
}

#else

static void sum_groups(const int16_t *x, const tap_list *taps, folded *to, int32_t groups) {
    for (int32_t g = 0; g < groups; g++, to += GROUP) {
        for (int32_t i = 0; i < GROUP; i++) {
            to[i] = 0;
        }
        for (int32_t t = 0; t < taps->count; x += taps->steps[t++] / (int32_t)sizeof *x) {
            for (int32_t i = 0; i < GROUP; i++) {
                to[i] += x[i];
            }
        }
    }
}

#endif

#endif

/* Sums over the taps of a window, int8: sixteen channels at a time. */
#ifndef DPL_CORTEX_M_SUM_TAPS_H
#define DPL_CORTEX_M_SUM_TAPS_H

#include "dpl/cortex_m/four_means.h"

enum { GROUP = 16 };

#include "dpl/cortex_m/tap_list.h"

#if defined(__ARM_FEATURE_DSP)

/* Each DSP instruction is the older of a pair, beside a load or what counts. */
#define TAP(FIRST, SECOND)                                                                                                                       \
    "ldr %[p], [%[x]]\n ldr %[q], [%[x], #4]\n" FIRST(                                                                                           \
        "e0",                                                                                                                                    \
        "p") "ldr %[d], [%[list]], #4\n" SECOND("o0",                                                                                            \
                                                "p") "ldr %[p], [%[x], #8]\n" FIRST("e1",                                                        \
                                                                                    "q") "subs "                                                 \
                                                                                         "%[left]"                                               \
                                                                                         ", "                                                    \
                                                                                         "%[left]"                                               \
                                                                                         ", "                                                    \
                                                                                         "#1"                                                    \
                                                                                         "\n" SECOND("o1", "q") "ldr %[q], [%[x], #12]\n" FIRST( \
                                                                                             "e2",                                               \
                                                                                             "p") "add %[x], %[x], %[d]\n" SECOND("o2",          \
                                                                                                                                  "p")           \
                                                                                             FIRST(                                              \
                                                                                                 "e3",                                           \
                                                                                                 "q")                                            \
                                                                                                 SECOND(                                         \
                                                                                                     "o3",                                       \
                                                                                                     "q")
#define EVEN(SUM, WORD) "sxtb16 %[" SUM "], %[" WORD "]\n"
#define ODDS(SUM, WORD) "sxtb16 %[" SUM "], %[" WORD "], ror #8\n"
#define ADD_EVEN(SUM, WORD) "sxtab16 %[" SUM "], %[" SUM "], %[" WORD "]\n"
#define ADD_ODDS(SUM, WORD) "sxtab16 %[" SUM "], %[" SUM "], %[" WORD "], ror #8\n"
/* Bytes 0 and 1, then 2 and 3. */
#define STORE_FOUR(EVENS, ODDS)                                                                    \
    "pkhbt %[q], %[" EVENS "], %[" ODDS "], lsl #16\n"                                             \
    "pkhtb %[" EVENS "], %[" ODDS "], %[" EVENS "], asr #16\n str %[q], [%[d]], #8\n"              \
    "str %[" EVENS "], [%[d], #-4]\n"

/* `groups` > 0 times sixteen: 9 cycles a tap and about 15 for the rest. */
static __attribute__((noinline)) void sum_groups(const int8_t *x, const tap_list *taps, folded *to,
                                                 int32_t groups) {
    const int32_t *list = taps->steps;
    const int32_t *const steps = list;
    const folded *const end = to + GROUP * groups;
    const int32_t count = taps->count;
    uint32_t e0, o0, e1, o1, e2, o2, e3, o3, p, q;
    int32_t left, d;
    __asm__ volatile(
        "2: ldr %[left], %[count]\n" TAP(
            EVEN,
            ODDS) "beq 3f\n"
                  "1:\n" TAP(ADD_EVEN,
                             ADD_ODDS) "bne 1b\n"
                                       "3: ldr %[d], %[to]\n ldr %[list], %[steps]\n" STORE_FOUR(
                                           "e0", "o0") STORE_FOUR("e1", "o1")
                                           STORE_FOUR("e2", "o2") "ldr %[p], %[end]\n" STORE_FOUR(
                                               "e3",
                                               "o3") "str %[d], %[to]\n cmp %[d], %[p]\n bne 2b\n"
        : [x] "+r"(x), [e0] "=&r"(e0), [o0] "=&r"(o0), [e1] "=&r"(e1), [o1] "=&r"(o1),
          [e2] "=&r"(e2), [o2] "=&r"(o2), [e3] "=&r"(e3), [o3] "=&r"(o3), [p] "=&r"(p),
          [q] "=&r"(q), [left] "=&r"(left), [d] "=&r"(d), [list] "+r"(list), [to] "+m"(to)
        : [count] "m"(count), [end] "m"(end), [steps] "m"(steps)
        : "cc", "memory");
}

#else

static void sum_groups(const int8_t *x, const tap_list *taps, folded *to, int32_t groups) {
    for (int32_t g = 0; g < groups; g++, to += GROUP) {
        int32_t sums[GROUP] = {0};
        for (int32_t t = 0; t < taps->count; x += taps->steps[t++]) {
            for (int32_t i = 0; i < GROUP; i++) {
                sums[i] += x[i];
            }
        }
        for (int32_t i = 0; i < GROUP; i++) {
            to[i] = (folded)sums[i];
        }
    }
}

#endif

#endif

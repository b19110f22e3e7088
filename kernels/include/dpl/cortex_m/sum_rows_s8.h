/* Sums over rows of int8, as halfwords in the order of the elements. */
#ifndef DPL_CORTEX_M_SUM_ROWS_H
#define DPL_CORTEX_M_SUM_ROWS_H

#include "dpl/cortex_m/bytes.h"
#include "dpl/cortex_m/four_means.h"

/* `count` > 0 rows of int8, `step` bytes apart. */
typedef struct {
    int32_t step, count;
} row_stack;

#if defined(__ARM_FEATURE_DSP)

/* Each DSP instruction is the older of a pair, beside a load or what counts. */
#define FIRST_ROW                                                                                  \
    "ldr %[p], [%[x]]\n ldr %[q], [%[x], #4]\n"                                                    \
    "sxtb16 %[e0], %[p]\n"                                                                         \
    "sxtb16 %[o0], %[p], ror #8\n ldr %[p], [%[x], #8]\n"                                          \
    "sxtb16 %[e1], %[q]\n subs %[left], %[left], #1\n"                                             \
    "sxtb16 %[o1], %[q], ror #8\n ldr %[q], [%[x], #12]\n"                                         \
    "sxtb16 %[e2], %[p]\n add %[x], %[x], %[step]\n"                                               \
    "sxtb16 %[o2], %[p], ror #8\n"                                                                 \
    "sxtb16 %[e3], %[q]\n"                                                                         \
    "sxtb16 %[o3], %[q], ror #8\n"
#define NEXT_ROW                                                                                   \
    "ldr %[p], [%[x]]\n ldr %[q], [%[x], #4]\n"                                                    \
    "sxtab16 %[e0], %[e0], %[p]\n"                                                                 \
    "sxtab16 %[o0], %[o0], %[p], ror #8\n ldr %[p], [%[x], #8]\n"                                  \
    "sxtab16 %[e1], %[e1], %[q]\n subs %[left], %[left], #1\n"                                     \
    "sxtab16 %[o1], %[o1], %[q], ror #8\n ldr %[q], [%[x], #12]\n"                                 \
    "sxtab16 %[e2], %[e2], %[p]\n add %[x], %[x], %[step]\n"                                       \
    "sxtab16 %[o2], %[o2], %[p], ror #8\n"                                                         \
    "sxtab16 %[e3], %[e3], %[q]\n"                                                                 \
    "sxtab16 %[o3], %[o3], %[q], ror #8\n"
/* Bytes 0 and 1, then 2 and 3. */
#define STORE_FOUR(EVEN, ODDS)                                                                     \
    "pkhbt %[q], %[" EVEN "], %[" ODDS "], lsl #16\n"                                              \
    "pkhtb %[" EVEN "], %[" ODDS "], %[" EVEN "], asr #16\n str %[q], [%[to]], #8\n"               \
    "str %[" EVEN "], [%[to], #-4]\n"

#define STORE_SIXTEEN                                                                              \
    STORE_FOUR("e0", "o0")                                                                         \
    STORE_FOUR("e1", "o1")                                                                         \
    STORE_FOUR("e2", "o2")                                                                         \
    "ldr %[p], %[back]\n" STORE_FOUR("e3", "o3")
#define ALL_SIXTEENS                                                                               \
    "2: ldr %[left], %[count]\n" FIRST_ROW "beq 3f\n"                                              \
    "1:\n" NEXT_ROW "bne 1b\n"                                                                     \
    "3:\n" STORE_SIXTEEN "ldr %[q], %[end]\n"                                                      \
    "sub %[x], %[x], %[p]\n cmp %[to], %[q]\n bne 2b\n"

/* `groups` > 0 times sixteen: 9 cycles a row and about 13 for the rest. */
static __attribute__((noinline)) void sum_sixteens(const int8_t *x, const row_stack *rows,
                                                   folded *to, int32_t groups) {
    const int32_t step = rows->step, count = rows->count, back = count * step - 16;
    const folded *end = to + 16 * groups;
    uint32_t e0, o0, e1, o1, e2, o2, e3, o3, p, q;
    int32_t left;
    __asm__ volatile(ALL_SIXTEENS
                     : [x] "+r"(x), [e0] "=&r"(e0), [o0] "=&r"(o0), [e1] "=&r"(e1), [o1] "=&r"(o1),
                       [e2] "=&r"(e2), [o2] "=&r"(o2), [e3] "=&r"(e3), [o3] "=&r"(o3), [p] "=&r"(p),
                       [q] "=&r"(q), [left] "=&r"(left), [to] "+r"(to)
                     : [step] "r"(step), [count] "m"(count), [back] "m"(back), [end] "m"(end)
                     : "cc", "memory");
}

#else

static void sum_sixteens(const int8_t *from, const row_stack *rows, folded *to, int32_t groups) {
    for (int32_t i = 0; i < 16 * groups; i++) {
        int32_t sum = 0;
        for (int32_t t = 0; t < rows->count; t++) {
            sum += from[t * rows->step + i];
        }
        to[i] = (folded)sum;
    }
}

#endif

static void sum_four(const int8_t *from, const row_stack *rows, folded *to) {
    uint32_t even = 0, odd = 0;
    for (int32_t t = rows->count, step = rows->step; t > 0; t--, from += step) {
        const uint32_t word = load_word(from);
        even = add_even_bytes(even, word);
        odd = add_odd_bytes(odd, word);
    }
    store_word(to, low_halves(even, odd));
    store_word(to + 2, high_halves(even, odd));
}

/* `length` sums; the last of four or more are a word over those before. */
static void sum_run(const int8_t *from, const row_stack *rows, folded *to, int32_t length) {
    int32_t i = length & -16;
    if (i > 0) {
        sum_sixteens(from, rows, to, length / 16);
    }
    for (; i + 4 <= length; i += 4) {
        sum_four(from + i, rows, to + i);
    }
    if (i < length && length > 4) {
        sum_four(from + length - 4, rows, to + length - 4);
        return;
    }
    for (; i < length; i++) {
        int32_t sum = 0;
        for (int32_t t = 0; t < rows->count; t++) {
            sum += from[t * rows->step + i];
        }
        to[i] = (folded)sum;
    }
}

/* Cycles of sixteen sums: unaligned loads take three or four more. */
static inline int32_t sum_cost(const row_stack *rows) {
    return rows->count * ((rows->step & 3) ? 23 : 9) + 14;
}

/* The same of columns of a row that are added for each mean. */
static inline int32_t columns_cost(const dpl_window *w, int32_t channels) {
    return 15 * w->stride_width + (channels % 2 ? 16 : 10) * (w->kernel_width - 1);
}

#endif

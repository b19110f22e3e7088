/* Sums over rows of int8, as halfwords in the order of the elements. */
#ifndef DPL_CORTEX_M_SUM_ROWS_H
#define DPL_CORTEX_M_SUM_ROWS_H

#include "dpl/cortex_m/bytes.h"

typedef int16_t folded;

/* `count` > 0 rows of int8, `step` bytes apart. */
typedef struct {
    int32_t step, count;
} row_stack;

#if defined(__ARM_FEATURE_DSP)

#define EXTEND(SUMS, WORD, TURN) "sxtb16 %[" SUMS "], %[" WORD "]" TURN "\n"
#define ADD(SUMS, WORD, TURN) "sxtab16 %[" SUMS "], %[" SUMS "], %[" WORD "]" TURN "\n"
#define ODD ", ror #8"
/* Each DSP instruction is the older of a pair, beside a load or what counts. */
#define SIXTEEN_OF(TAKE)                                                                           \
    "ldr %[p], [%[x]]\n ldr %[q], [%[x], #4]\n" TAKE("e0", "p", "") TAKE("o0", "p", ODD)           \
        "ldr %[p], [%[x], #8]\n" TAKE("e1", "q", "") "subs %[left], %[left], #1\n" TAKE(           \
            "o1", "q", ODD) "ldr %[q], [%[x], #12]\n" TAKE("e2", "p", "")                          \
            "add %[x], %[x], %[step]\n" TAKE("o2", "p", ODD) TAKE("e3", "q", "")                   \
                TAKE("o3", "q", ODD)
/* Bytes 0 and 1, then 2 and 3. */
#define STORE_FOUR(EVEN, ODDS)                                                                     \
    "pkhbt %[q], %[" EVEN "], %[" ODDS "], lsl #16\n"                                              \
    "pkhtb %[" EVEN "], %[" ODDS "], %[" EVEN "], asr #16\n str %[q], [%[to]], #8\n"              \
    "str %[" EVEN "], [%[to], #-4]\n"

/* `groups` > 0 times sixteen: 9 cycles a row and about 13 for the rest. */
static __attribute__((noinline)) void sum_sixteens(const int8_t *x, const row_stack *rows,
                                                   folded *to, int32_t groups) {
    const int32_t step = rows->step, count = rows->count, back = count * step - 16;
    const folded *end = to + 16 * groups;
    uint32_t e0, o0, e1, o1, e2, o2, e3, o3, p, q;
    int32_t left;
    __asm__ volatile("2: ldr %[left], %[count]\n" SIXTEEN_OF(EXTEND)
                     "beq 3f\n"
                     "1:\n" SIXTEEN_OF(ADD) "bne 1b\n"
                     "3:\n" STORE_FOUR("e0", "o0") STORE_FOUR("e1", "o1") STORE_FOUR("e2", "o2")
                     "ldr %[p], %[back]\n" STORE_FOUR("e3", "o3")
                     "ldr %[q], %[end]\n"
                     "sub %[x], %[x], %[p]\n cmp %[to], %[q]\n bne 2b\n"
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

#endif

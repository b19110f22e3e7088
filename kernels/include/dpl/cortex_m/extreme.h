/* The larger or the smaller of two runs of elements, words at a time: a body. A file has what
 * extreme_word.h needs. */
#ifndef DPL_CORTEX_M_EXTREME_H
#define DPL_CORTEX_M_EXTREME_H

#include "dpl/cortex_m/extreme_word.h"

/* What a run does beside moving on: `rows` of them, `length` > 0 elements each, so many elements
 * apart. The output may take the first input's place. */
typedef struct {
    int32_t a_step, b_step, to_step;
    int32_t length, rows;
} run_shape;

/* `count` > 0 times eight bytes at six cycles: each DSP instruction issues as the older of a pair,
 * beside a load, a store or the comparison. */
static inline void extreme_lines(const element *a, const element *b, element *to, int32_t count) {
#if defined(__ARM_FEATURE_DSP)
    const int8_t *end = (const int8_t *)a + 8 * count;
    uint32_t x, y, u, v, t;
    __asm__ volatile("1:\n"
                     "ldr %[x], [%[a]], #8\n ldr %[y], [%[b]], #8\n" DIFFERENCE
                     " %[t], %[x], %[y]\n ldr %[u], [%[a], #-4]\n" TAKE(
                         "x", "y") "ldr %[v], [%[b], #-4]\n" DIFFERENCE
                                   " %[t], %[u], %[v]\n str %[x], [%[to]], #8\n" TAKE(
                                       "u", "v") "cmp %[a], %[end]\n"
                                                 "str %[u], [%[to], #-4]\n bne 1b\n"
                     : [a] "+r"(a), [b] "+r"(b), [to] "+r"(to), [x] "=&r"(x), [y] "=&r"(y),
                       [u] "=&r"(u), [v] "=&r"(v), [t] "=&r"(t)
                     : [end] "r"(end)
                     : "cc", "memory");
#else
    for (int32_t i = 0; i < 8 / (int32_t)sizeof(element) * count; i++) {
        to[i] = BETTER(a[i], b[i]) ? a[i] : b[i];
    }
#endif
}

/* The same where only `b` is no multiple of four: nine cycles, since an unaligned load costs three
 * more. Each word of `b` is put together from two, both of which have bytes of it. */
static inline void shifted_lines(const element *a, const element *b, element *to, int32_t count) {
#if defined(__ARM_FEATURE_DSP)
    const uint32_t low = ((uintptr_t)b & 3) * 8, high = 32 - low;
    const int8_t *words = (const int8_t *)((uintptr_t)b & ~(uintptr_t)3);
    const int8_t *end = (const int8_t *)a + 8 * count;
    uint32_t c, n, p, q, u, x, y;
    __asm__ volatile("ldr %[c], [%[b]]\n"
                     "1:\n"
                     "ldr %[n], [%[b], #4]!\n ldr %[x], [%[a]], #8\n"
                     "lsr %[p], %[c], %[low]\n ldr %[c], [%[b], #4]!\n"
                     "lsl %[q], %[n], %[high]\n ldr %[y], [%[a], #-4]\n"
                     "orr %[p], %[p], %[q]\n lsr %[n], %[n], %[low]\n" DIFFERENCE
                     " %[q], %[x], %[p]\n lsl %[u], %[c], %[high]\n" TAKE(
                         "x", "p") "orr %[n], %[n], %[u]\n" DIFFERENCE
                                   " %[q], %[y], %[n]\n str %[x], [%[to]], #8\n" TAKE(
                                       "y", "n") "cmp %[a], %[end]\n"
                                                 "str %[y], [%[to], #-4]\n bne 1b\n"
                     : [a] "+r"(a), [b] "+r"(words), [to] "+r"(to), [c] "=&r"(c), [n] "=&r"(n),
                       [p] "=&r"(p), [q] "=&r"(q), [u] "=&r"(u), [x] "=&r"(x), [y] "=&r"(y)
                     : [end] "r"(end), [low] "r"(low), [high] "r"(high)
                     : "cc", "memory");
#else
    extreme_lines(a, b, to, count);
#endif
}

static __attribute__((noinline)) void any_lines(const element *a, const element *b, element *to,
                                                int32_t count) {
    if (((uintptr_t)b & 3) && !(((uintptr_t)a | (uintptr_t)to) & 3)) {
        shifted_lines(a, b, to, count);
        return;
    }
    extreme_lines(a, b, to, count);
}

/* The last elements of a run are a word over those before. */
static inline void extreme_run(const element *a, const element *b, element *to, int32_t length) {
    enum { WORD = 4 / sizeof(element), LINE = 8 / sizeof(element) };
    if (length < WORD) {
        for (int32_t i = 0; i < length; i++) {
            to[i] = BETTER(a[i], b[i]) ? a[i] : b[i];
        }
        return;
    }
    const int32_t whole = length / LINE * LINE;
    if (whole > 0) {
        any_lines(a, b, to, length / LINE);
    }
    if (length - whole >= WORD) {
        store_word(to + whole, better_word(load_word(a + whole), load_word(b + whole)));
    }
    if (length % WORD > 0) {
        const int32_t last = length - WORD;
        store_word(to + last, better_word(load_word(a + last), load_word(b + last)));
    }
}

static __attribute__((noinline)) void extreme_rows(const element *a, const element *b, element *to,
                                                   const run_shape *given) {
    const run_shape s = *given; /* a store of a byte could change the fields */
    for (int32_t i = s.rows; i > 0; i--, a += s.a_step, b += s.b_step, to += s.to_step) {
        extreme_run(a, b, to, s.length);
    }
}

#endif

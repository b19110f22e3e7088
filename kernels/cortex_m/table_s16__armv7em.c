/* Table, int16: between two neighbouring entries, two elements at a time. The difference
 * of two entries times 127 has 24 bits. */
#include "dpl/body/s16.h"
#include "dpl/elementwise.h"

#define KERNEL dpl_table_s16__armv7em
typedef dpl_table_s16_args args;
typedef element source;

enum { STEP_BITS = 7, MIDDLE = 1 << (15 - STEP_BITS), HALF = 1 << (STEP_BITS - 1) };

/* `middle`: the entry of input 0. */
static inline int32_t value_at(const int16_t *middle, int32_t x) {
    const int16_t *entry = middle + (x >> STEP_BITS);
    const int32_t first = entry[0], far = x & ((1 << STEP_BITS) - 1);
    return first + (((entry[1] - first) * far + HALF) >> STEP_BITS);
}

/* `count` > 0 times two. Both are read before the first is written: the output may take the input's
 * place. */
static inline void run_x2(const int16_t *middle, const element *input, element *out,
                          int32_t count) {
#if defined(__ARM_FEATURE_DSP)
    const element *end = input + 2 * count;
    int32_t x, y, i, j, p, q, r;
    __asm__ volatile(
        "1: ldrsh %[x], [%[input]], #2\n ldrsh %[y], [%[input]], #2\n"
        "asr %[i], %[x], #7\n asr %[j], %[y], #7\n"
        "ldrsh %[p], [%[middle], %[i], lsl #1]\n ldrsh %[q], [%[next], %[i], lsl #1]\n"
        "ldrsh %[r], [%[middle], %[j], lsl #1]\n ldrsh %[j], [%[next], %[j], lsl #1]\n"
        "and %[x], %[x], #127\n and %[y], %[y], #127\n"
        "sub %[q], %[q], %[p]\n sub %[j], %[j], %[r]\n"
        "mla %[q], %[q], %[x], %[half]\n"
        "mla %[j], %[j], %[y], %[half]\n cmp %[input], %[end]\n"
        "add %[p], %[p], %[q], asr #7\n strh %[p], [%[out]], #2\n"
        "add %[r], %[r], %[j], asr #7\n strh %[r], [%[out]], #2\n"
        "bne 1b\n"
        : [input] "+r"(input), [out] "+r"(out), [x] "=&r"(x), [y] "=&r"(y), [i] "=&r"(i),
          [j] "=&r"(j), [p] "=&r"(p), [q] "=&r"(q), [r] "=&r"(r)
        : [middle] "r"(middle), [next] "r"(middle + 1), [half] "r"(HALF), [end] "r"(end)
        : "cc", "memory");
#else
    for (int32_t i = 0; i < 2 * count; i++) {
        out[i] = (element)value_at(middle, input[i]);
    }
#endif
}

static void run(const args *a, const element *input, element *out, int32_t count) {
    const int16_t *middle = a->table + MIDDLE;
    if (count > 1) {
        run_x2(middle, input, out, count / 2);
    }
    if (count & 1) {
        out[count - 1] = (element)value_at(middle, input[count - 1]);
    }
}

#include "dpl/body/runs.h"

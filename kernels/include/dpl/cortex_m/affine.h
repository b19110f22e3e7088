/* Runs of int8 elements x to (x * multiplier + rounding) >> shift, saturated: Concat and Rescale by
 * the rules i32 and shift, four at a time in 23 instructions and 12 cycles (pipeline model of the
 * Cortex-M7). */
#ifndef DPL_CORTEX_M_AFFINE_H
#define DPL_CORTEX_M_AFFINE_H

#include "dpl/cortex_m/simd.h"

typedef struct {
    int32_t multiplier, rounding, shift;
} affine;

/* Whether that is all there is to requantization by a single entry, to a type of these bounds. */
static inline int is_affine(const dpl_requant *q, int32_t low, int32_t high) {
    const int rule = q->rule == DPL_I32 || q->rule == DPL_SHIFT;
    return rule && q->low == low && q->high == high;
}

static inline affine affine_of(const dpl_requant *q) {
    const affine f = {q->rule == DPL_SHIFT ? 1 : *q->multiplier, *q->rounding, *q->shift};
    return f;
}

static inline int32_t affine_value(const affine *f, int32_t x) {
    return (x * f->multiplier + f->rounding) >> f->shift;
}

/* The output may take the input's place. */
static inline void affine_x4(const affine *f, const int8_t *input, int8_t *out, int32_t count) {
#if defined(__ARM_FEATURE_DSP)
    const int32_t m = f->multiplier, r = f->rounding, s = f->shift;
    const int8_t *end = input + 4 * count;
    int32_t word, x0, x1, x2;
    __asm__ volatile("1:\n"
                     "ldr %[word], [%[input]], #4\n"
                     "sxtb %[x0], %[word]\n"
                     "mla %[x0], %[x0], %[m], %[r]\n sxtb %[x1], %[word], ror #8\n"
                     "mla %[x1], %[x1], %[m], %[r]\n sxtb %[x2], %[word], ror #16\n"
                     "mla %[x2], %[x2], %[m], %[r]\n asr %[word], %[word], #24\n"
                     "mla %[word], %[word], %[m], %[r]\n asr %[x0], %[x0], %[s]\n"
                     "asr %[x1], %[x1], %[s]\n ssat %[x0], #8, %[x0]\n"
                     "strb %[x0], [%[out]], #4\n ssat %[x1], #8, %[x1]\n"
                     "asr %[x2], %[x2], %[s]\n strb %[x1], [%[out], #-3]\n"
                     "asr %[word], %[word], %[s]\n ssat %[x2], #8, %[x2]\n"
                     "strb %[x2], [%[out], #-2]\n ssat %[word], #8, %[word]\n"
                     "cmp %[input], %[end]\n strb %[word], [%[out], #-1]\n"
                     "bne 1b\n"
                     : [input] "+r"(input), [out] "+r"(out), [word] "=&r"(word), [x0] "=&r"(x0),
                       [x1] "=&r"(x1), [x2] "=&r"(x2)
                     : [m] "r"(m), [r] "r"(r), [s] "r"(s), [end] "r"(end)
                     : "cc", "memory");
#else
    for (int32_t i = 0; i < 4 * count; i++) {
        out[i] = (int8_t)saturate8(affine_value(f, input[i]));
    }
#endif
}

/* `count` elements by an entry of any rule, one by one. */
static inline void requantize_each(const dpl_requant *entry, const int8_t *input, int8_t *out,
                                   int32_t count) {
    const int32_t multiplier = *entry->multiplier, rounding = *entry->rounding;
    const uint8_t shift = *entry->shift;
    const dpl_requant q = {&multiplier, &rounding, &shift, 0, entry->rule, entry->low, entry->high};
    for (int32_t i = 0; i < count; i++) {
        out[i] = (int8_t)dpl_requantize(&q, input[i], 0);
    }
}

/* `count` elements by an entry of any rule. */
static inline void requantize_run(const dpl_requant *entry, const int8_t *input, int8_t *out,
                                  int32_t count) {
    const int32_t fours = is_affine(entry, INT8_MIN, INT8_MAX) ? count / 4 : 0;
    if (fours > 0) {
        const affine f = affine_of(entry);
        affine_x4(&f, input, out, fours);
    }
    requantize_each(entry, input + 4 * fours, out + 4 * fours, count - 4 * fours);
}

#endif

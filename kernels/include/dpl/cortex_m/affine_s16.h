/* Runs of int16 elements by an entry: by the rules i32, shift and, with the bounds of the type, q32
 * two of a word at a time. */
#ifndef DPL_CORTEX_M_AFFINE_S16_H
#define DPL_CORTEX_M_AFFINE_S16_H

#include "dpl/cortex_m/affine.h"

/* Bounds without a branch. */
static inline int32_t bounded(int32_t x, int32_t low, int32_t high) {
#if defined(__ARM_FEATURE_DSP)
    __asm__("cmp %0, %1\n it lt\n movlt %0, %1\n cmp %0, %2\n it gt\n movgt %0, %2\n"
            : "+r"(x)
            : "r"(low), "r"(high)
            : "cc");
    return x;
#else
    return dpl_clamp(x, low, high);
#endif
}

/* Two outputs of a word, by i32 and shift or, where `high`, by q32; `high` and `full`, whether the
 * bounds are those of the type, are constants. */
static inline __attribute__((always_inline)) uint32_t
two_halves(const affine *f, const dpl_requant *q, int high, int full, uint32_t word) {
    const int32_t x = (int16_t)word, y = (int32_t)word >> 16;
    const int32_t first = high ? scale_high(x, f->multiplier, f->rounding) : affine_value(f, x);
    const int32_t second = high ? scale_high(y, f->multiplier, f->rounding) : affine_value(f, y);
    if (full) {
        return low_halves((uint32_t)saturate16(first), (uint32_t)saturate16(second));
    }
    return low_halves((uint32_t)bounded(first, q->low, q->high),
                      (uint32_t)bounded(second, q->low, q->high));
}

/* `count` times four elements, all of which are read before the first is written: the output may
 * take the input's place. */
static inline __attribute__((always_inline)) void four_halves(const dpl_requant *entry, int high,
                                                              int full, const int16_t *input,
                                                              int16_t *out, int32_t count) {
    const dpl_requant q = *entry;
    const affine f = affine_of(entry);
    for (; count > 0; count--, input += 4, out += 4) {
        const uint32_t x = load_word(input), y = load_word(input + 2);
        const uint32_t first = two_halves(&f, &q, high, full, x);
        store_word(out + 2, two_halves(&f, &q, high, full, y));
        store_word(out, first);
    }
}

/* How many of `count` elements are done. */
static inline int32_t requantize_fours(const dpl_requant *entry, const int16_t *input, int16_t *out,
                                       int32_t count) {
    const int full = entry->low == INT16_MIN && entry->high == INT16_MAX;
    if (entry->rule == DPL_Q32 && full) {
        four_halves(entry, 1, 1, input, out, count / 4);
    } else if (entry->rule != DPL_I32 && entry->rule != DPL_SHIFT) {
        return 0;
    } else if (full) {
        four_halves(entry, 0, 1, input, out, count / 4);
    } else {
        four_halves(entry, 0, 0, input, out, count / 4);
    }
    return count & -4;
}

/* `count` elements by an entry of any rule. */
static inline void requantize_halves(const dpl_requant *entry, const int16_t *input, int16_t *out,
                                     int32_t count) {
    const int32_t multiplier = *entry->multiplier, rounding = *entry->rounding;
    const uint8_t shift = *entry->shift;
    const dpl_requant q = {&multiplier, &rounding, &shift, 0, entry->rule, entry->low, entry->high};
    for (int32_t i = requantize_fours(entry, input, out, count); i < count; i++) {
        out[i] = (int16_t)dpl_requantize(&q, input[i], 0);
    }
}

#endif

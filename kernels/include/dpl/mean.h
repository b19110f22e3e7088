/* The means of pools: the rules that divide, and those of every layer. */
#ifndef DPL_MEAN_H
#define DPL_MEAN_H

#include "dpl/requant.h"

/* Halves away from zero. */
static inline int32_t dpl_mean(int32_t sum, int32_t count) {
    return (sum < 0 ? sum - count / 2 : sum + count / 2) / count;
}

/* Halves to an even number of steps from the zero point. */
static inline int32_t dpl_mean_even(int32_t sum, int32_t count, int32_t zero) {
    const int32_t centred = sum - count * zero;
    const int32_t down = centred / count - (centred % count < 0);
    const int32_t rest = centred - count * down;
    return zero + down + (2 * rest + (down & 1) > count);
}

/* The output of a window's sum. */
static inline int32_t dpl_requantize_mean(const dpl_requant *q, int32_t sum, int32_t entry) {
    const int32_t i = entry * q->channel_step;
    if (q->rule == DPL_MEAN) {
        return dpl_clamp(dpl_mean(sum, q->multiplier[i]), q->low, q->high);
    }
    if (q->rule == DPL_MEAN_EVEN) {
        return dpl_clamp(dpl_mean_even(sum, q->multiplier[i], q->rounding[i]), q->low, q->high);
    }
    return dpl_requantize(q, sum, entry);
}

#endif

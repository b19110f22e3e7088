/* How sums of a strip become outputs. */
#ifndef DPL_CORTEX_M_MEAN_OF_H
#define DPL_CORTEX_M_MEAN_OF_H

#include "dpl/mean.h"

/* An entry of the tables, and of how many elements so far apart a sum is made. */
typedef struct {
    int32_t multiplier, rounding, shift;
    const dpl_requant *requant;
    int32_t entry, taps, tap;
} mean;

/* Of windows with `count` taps in the input. */
static inline mean mean_of(const dpl_requant *q, int32_t count, int32_t taps, int32_t tap) {
    const int32_t entry = (count - 1) * q->channel_step;
    const mean m = {q->rule == DPL_SHIFT ? 1 : q->multiplier[entry],
                    q->rounding[entry],
                    q->shift[entry],
                    q,
                    count - 1,
                    taps,
                    tap};
    return m;
}

#endif

/* Six sums to six outputs. The high-word rule takes three instructions an output, smmlar, ssat and
 * strb, which issue on different units. */
#ifndef DPL_CORTEX_M_FINISH_H
#define DPL_CORTEX_M_FINISH_H

#include "dpl/cortex_m/block.h"

/* How sums of a channel become outputs: looked up once a pair of channels. */
typedef struct {
    const dpl_requant *q;
    int32_t high_word; /* the rule is DPL_Q32 and the bounds are those of int8 */
} finisher;

static inline finisher finisher_of(const dpl_requant *q) {
    finisher f = {q, q->rule == DPL_Q32 && q->low == -128 && q->high == 127};
    return f;
}

/* Three pixels of a channel; out[i] may be the same address, the last one written first. */
static inline void finish_three(const finisher *f, int32_t channel, const int32_t *sum,
                                int8_t *const *out) {
    if (f->high_word) {
        const int32_t i = channel * f->q->channel_step;
        const int32_t multiplier = f->q->multiplier[i], zero = f->q->rounding[i];
        out[2][channel] = (int8_t)saturate8(scale_high(sum[2], multiplier, zero));
        out[1][channel] = (int8_t)saturate8(scale_high(sum[1], multiplier, zero));
        out[0][channel] = (int8_t)saturate8(scale_high(sum[0], multiplier, zero));
        return;
    }
    for (int32_t i = COLUMNS - 1; i >= 0; i--) {
        out[i][channel] = (int8_t)dpl_requantize(f->q, sum[i], channel);
    }
}

#endif

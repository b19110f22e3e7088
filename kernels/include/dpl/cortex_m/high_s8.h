/* int8 outputs of pairs of channels, by the high-word rule. */
#ifndef DPL_CORTEX_M_HIGH_H
#define DPL_CORTEX_M_HIGH_H

#include "dpl/body/s8.h"
#include "dpl/cortex_m/block.h"

enum {
    ALL_BOUNDS = 1
}; /* whether pairs by the high-word rule are computed here whatever their bounds */

#if defined(__ARM_FEATURE_DSP)
#define LIMIT_S8(X) "ssat %[" X "], #8, %[" X "]\n"
#else
static inline int8_t LIMIT_S8(int32_t sum, int32_t multiplier, int32_t addend) {
    return (int8_t)saturate8(scale_high(sum, multiplier, addend));
}
#endif

void dpl_high_triples_s8__armv7em(const high_job *j);

/* To the bounds of `q`: `channels` outputs before each pixel of `out`, if by the high-word rule. */
void dpl_bound_pixels_s8__armv7em(const three_pixels *out, int32_t triples, int32_t channels,
                                  const dpl_requant *q);

/* Outputs lie low + 128 below what they are until bound_outputs: ssat cuts them at the lower bound.
 */
static inline int32_t addend_of(const dpl_requant *q) {
    return q->rounding[0] - (q->low - INT8_MIN);
}

/* What an output by the high-word rule takes but its sum. */
typedef struct {
    int32_t multiplier, addend;
} high_rule;

static inline high_rule high_rule_of(const dpl_requant *q, int32_t channel) {
    const high_rule rule = {q->multiplier[channel * q->channel_step], addend_of(q)};
    return rule;
}

static inline int8_t high_output(high_rule rule, int32_t sum) {
    return (int8_t)saturate8(scale_high(sum, rule.multiplier, rule.addend));
}

static inline int needs_bounds(const dpl_requant *q) {
    return q->low != INT8_MIN || q->high != INT8_MAX;
}

static inline void bound_outputs(const dpl_requant *q, const three_pixels *out, int32_t triples,
                                 int32_t channels) {
    if (needs_bounds(q)) {
        dpl_bound_pixels_s8__armv7em(out, triples, channels, q);
    }
}

/* Computes the job if it can. */
static inline int by_high_words(const dpl_requant *q, high_job *j) {
    if (q->rule != DPL_Q32) {
        return 0;
    }
    j->addend = addend_of(q);
    dpl_high_triples_s8__armv7em(j);
    return 1;
}

#endif

/* int16 outputs of pairs of channels, by the high-word rule: whole range, ReLU, or ReLU with a cap.
 *
 * ssat has bounds of powers of two only. A cap c is reached through 32767: with 32767 - c added,
 * saturated, subtracted, nothing exceeds c; usat does the rest. */
#ifndef DPL_CORTEX_M_HIGH_H
#define DPL_CORTEX_M_HIGH_H

#include "dpl/body/s16.h"
#include "dpl/cortex_m/block.h"

enum {
    ALL_BOUNDS = 0
}; /* whether pairs by the high-word rule are computed here whatever their bounds */

#if defined(__ARM_FEATURE_DSP)
#define LIMIT_S16(X) "ssat %[" X "], #16, %[" X "]\n"
#define LIMIT_RELU(X) "usat %[" X "], #15, %[" X "]\n"
/* The addend is in r. */
#define LIMIT_CAP(X)                                                                               \
    "ssat %[" X "], #16, %[" X "]\n sub %[" X "], %[" X "], %[r]\n usat %[" X "], #15, %[" X "]"   \
    "\n"
#else
static inline int16_t LIMIT_S16(int32_t sum, int32_t multiplier, int32_t addend) {
    return (int16_t)dpl_clamp(scale_high(sum, multiplier, addend), INT16_MIN, INT16_MAX);
}

static inline int16_t LIMIT_RELU(int32_t sum, int32_t multiplier, int32_t addend) {
    return (int16_t)dpl_clamp(scale_high(sum, multiplier, addend), 0, INT16_MAX);
}

static inline int16_t LIMIT_CAP(int32_t sum, int32_t multiplier, int32_t addend) {
    const int32_t capped = LIMIT_S16(sum, multiplier, addend) - addend;
    return (int16_t)dpl_clamp(capped, 0, INT16_MAX);
}
#endif

HIGH_TRIPLES(static, high_triples, SHORT_LOOP_FOURS, LIMIT_S16, "strh", ", lsl #1", "2")
HIGH_TRIPLES(static, high_triples_relu, SHORT_LOOP_FOURS, LIMIT_RELU, "strh", ", lsl #1", "2")
HIGH_TRIPLES(static, high_triples_cap, SHORT_LOOP_FOURS, LIMIT_CAP, "strh", ", lsl #1", "2")

/* What an output by the high-word rule takes but its sum. */
typedef struct {
    int32_t multiplier, addend, low, high;
} high_rule;

static inline high_rule high_rule_of(const dpl_requant *q, int32_t channel) {
    const high_rule rule = {q->multiplier[channel * q->channel_step], q->rounding[0], q->low,
                            q->high};
    return rule;
}

static inline int16_t high_output(high_rule rule, int32_t sum) {
    return (int16_t)dpl_clamp(scale_high(sum, rule.multiplier, rule.addend), rule.low, rule.high);
}

/* Outputs have their bounds from the beginning. */
static inline void bound_outputs(const dpl_requant *q, const three_pixels *out, int32_t triples,
                                 int32_t channels) {
    (void)q, (void)out, (void)triples, (void)channels;
}

/* Computes the job if it can. */
static inline int by_high_words(const dpl_requant *q, high_job *j) {
    if (q->rule != DPL_Q32 || q->rounding[0] != 0) {
        return 0;
    }
    j->addend = 0;
    if (q->low == INT16_MIN && q->high == INT16_MAX) {
        high_triples(j);
    } else if (q->low == 0 && q->high == INT16_MAX) {
        high_triples_relu(j);
    } else if (q->low == 0) {
        j->addend = INT16_MAX - q->high;
        high_triples_cap(j);
    } else {
        return 0;
    }
    return 1;
}

#endif

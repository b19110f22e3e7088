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

/* To the bounds of `q`: `channels` outputs before each pixel of `out`, written less low + 128. */
void dpl_bound_pixels_s8__armv7em(const three_pixels *out, int32_t triples, int32_t channels,
                                  const dpl_requant *q);

/* Computes the job if it can. */
static inline int by_high_words(const dpl_requant *q, high_job *j) {
    if (q->rule != DPL_Q32) {
        return 0;
    }
    j->addend = q->rounding[0] - (q->low - INT8_MIN);
    dpl_high_triples_s8__armv7em(j);
    if (q->low != INT8_MIN || q->high != INT8_MAX) {
        const int32_t channels = 2 * ((int32_t)(j->last - j->first) / piece_words(j->words));
        dpl_bound_pixels_s8__armv7em(j->out, j->triples, channels, q);
    }
    return 1;
}

#endif

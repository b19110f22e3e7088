/* int8 outputs of pairs of channels, by the high-word rule without further bounds. */
#ifndef DPL_CORTEX_M_HIGH_H
#define DPL_CORTEX_M_HIGH_H

#include "dpl/body/s8.h"
#include "dpl/cortex_m/block.h"
#include "dpl/cortex_m/four.h"

#if defined(__ARM_FEATURE_DSP)
#define LIMIT_S8(X) "ssat %[" X "], #8, %[" X "]\n"
#else
static inline int8_t LIMIT_S8(int32_t sum, int32_t multiplier, int32_t addend) {
    return (int8_t)saturate8(scale_high(sum, multiplier, addend));
}
#endif

void dpl_high_triples_s8__armv7em(const high_job *j);

/* Computes the job if it can. */
static inline int by_high_words(const dpl_requant *q, high_job *j) {
    if (!by_high_word(q)) {
        return 0;
    }
    j->addend = q->rounding[0];
    dpl_high_triples_s8__armv7em(j);
    return 1;
}

#endif

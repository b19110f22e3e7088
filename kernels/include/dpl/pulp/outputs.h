/* Sums to outputs in C, by one entry for the tensor, of kernels whose arguments may lie in L2: what
 * each output needs is on the core's stack. */
#ifndef DPL_PULP_OUTPUTS_H
#define DPL_PULP_OUTPUTS_H

#include "dpl/requant.h"

typedef struct {
    dpl_requant requant; /* whose tables are the fields below */
    int32_t multiplier, rounding;
    uint8_t shift;
} dpl_outputs;

static inline void dpl_outputs_by(const dpl_requant *q, dpl_outputs *o) {
    o->multiplier = *q->multiplier;
    o->rounding = *q->rounding;
    o->shift = q->rule == DPL_Q32 ? 0 : *q->shift;
    o->requant.multiplier = &o->multiplier;
    o->requant.rounding = &o->rounding;
    o->requant.shift = &o->shift;
    o->requant.channel_step = 0;
    o->requant.rule = q->rule;
    o->requant.low = q->low;
    o->requant.high = q->high;
}

/* Within the bounds: p.max and p.min, where C for a core without them would branch. */
static inline int32_t dpl_bounded(int32_t x, int32_t low, int32_t high) {
    __asm__(".insn r 0x33, 6, 0x02, %0, %0, %1\n"
            ".insn r 0x33, 4, 0x02, %0, %0, %2\n"
            : "+r"(x)
            : "r"(low), "r"(high));
    return x;
}

static __attribute__((noinline)) int32_t dpl_output_by_any_rule(const dpl_outputs *o, int32_t sum) {
    return dpl_requantize(&o->requant, sum, 0);
}

/* By a rule that is a constant; others than these two are told at run time. */
static inline int32_t dpl_output_of(dpl_rule rule, const dpl_outputs *o, int32_t sum) {
    int32_t value;
    if (rule == DPL_I32) {
        value = (sum * o->multiplier + o->rounding) >> o->shift;
    } else if (rule == DPL_Q32) {
        value = dpl_high_word(sum, o->multiplier) + o->rounding;
    } else {
        return dpl_output_by_any_rule(o, sum);
    }
    return dpl_bounded(value, o->requant.low, o->requant.high);
}

#endif

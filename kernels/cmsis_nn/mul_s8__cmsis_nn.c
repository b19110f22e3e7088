/* Mul by CMSIS-NN: one multiplier, by any rule that rounds once. */
#include "dpl/cmsis_nn/call.h"
#include "dpl/elementwise.h"

typedef struct {
    int32_t multiplier, shift, zero;
} rounded;

/* Shifts are the library's: to the left, of a product over 2^31. */
static rounded rounded_of(const dpl_requant *q) {
    const int32_t multiplier = *q->multiplier, zero = *q->rounding, shift = *q->shift;
    const rounded wide = {multiplier, q->rule == DPL_Q32 ? -1 : 31 - shift, zero};
    const rounded narrow = {(q->rule == DPL_SHIFT ? 1 : multiplier) * 2, 30 - shift, zero >> shift};
    return q->rule == DPL_Q31 || q->rule == DPL_Q32 ? wide : narrow;
}

void dpl_mul_s8__cmsis_nn(const dpl_mul_s8_args *a) {
    const rounded r = rounded_of(&a->requant);
    const int32_t elements = a->output.height * a->output.width * a->output.channels;
    (void)arm_elementwise_mul_s8(a->left.data, a->right.data, -a->left_zero, -a->right_zero,
                                 a->output.data, r.zero, r.multiplier, r.shift, a->requant.low,
                                 a->requant.high, elements);
}

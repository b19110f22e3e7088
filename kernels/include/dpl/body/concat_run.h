/* A run of a part of a Concat, by any rule. */
#include "dpl/requant.h"

/* The parameters are copied out because a store to int8_t may alias anything. */
static void run(const dpl_requant *q, const element *input, element *out, int32_t count) {
    const int32_t multiplier = *q->multiplier, rounding = *q->rounding;
    const uint8_t shift = *q->shift;
    const dpl_requant one = {&multiplier, &rounding, &shift, 0, q->rule, q->low, q->high};
    for (int32_t i = 0; i < count; i++) {
        out[i] = (element)dpl_requantize(&one, input[i], 0);
    }
}

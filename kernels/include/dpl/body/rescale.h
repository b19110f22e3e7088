/* Rescale, from elements of type `source`. No restrict: the output may take the place of an input
 * of its own type. */
#include "dpl/requant.h"

/* An int8 tensor has 256 possible values but a table would be state; the rule, parameters in
 * registers, takes about 10 instructions an element on a Cortex-M7. They are copied out because a
 * store to int8_t may alias anything. */
static void run(const args *a, const source *input, element *out, int32_t count) {
    const int32_t multiplier = *a->requant.multiplier, rounding = *a->requant.rounding;
    const uint8_t shift = *a->requant.shift;
    const dpl_requant one = {&multiplier,     &rounding,      &shift,         0,
                             a->requant.rule, a->requant.low, a->requant.high};
    for (int32_t i = 0; i < count; i++) {
        out[i] = (element)dpl_requantize(&one, input[i], 0);
    }
}

#include "dpl/body/runs.h"

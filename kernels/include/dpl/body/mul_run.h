/* A run of a Mul, by any rule. No restrict: the output may take an input's place. */
#include "dpl/requant.h"

/* The parameters are copied out because a store to int8_t may alias anything, so that they would
 * be loaded again for every element. */
static void run(const args *a, const element *left, const element *right, element *out,
                int32_t count) {
    const int32_t multiplier = *a->requant.multiplier, rounding = *a->requant.rounding;
    const uint8_t shift = *a->requant.shift;
    const dpl_requant one = {&multiplier,     &rounding,      &shift,         0,
                             a->requant.rule, a->requant.low, a->requant.high};
    const int32_t left_zero = a->left_zero, right_zero = a->right_zero;
    for (int32_t i = 0; i < count; i++) {
        int32_t product = (left[i] - left_zero) * (right[i] - right_zero);
        out[i] = (element)dpl_requantize(&one, product, 0);
    }
}

/* Add. No restrict: the output may take an input's place. */
/* Two multiply-adds, shift and clamp: about 12 instructions an element on a Cortex-M7. The
 * parameters are copied out because a store to int8_t may alias anything, so that they would be
 * loaded again for every element. */
static void run(const args *a, const element *left, const element *right, element *out,
                int32_t count) {
    const int32_t m0 = a->multiplier[0], m1 = a->multiplier[1];
    const int32_t rounding = a->rounding, shift = a->shift, low = a->low, high = a->high;
    for (int32_t i = 0; i < count; i++) {
        int32_t total = left[i] * m0 + right[i] * m1 + rounding;
        out[i] = (element)dpl_clamp(total >> shift, low, high);
    }
}

#include "dpl/body/add_rows.h"

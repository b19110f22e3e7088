/* Maximum, int8, portable. No restrict: the output may take an input's place. */
#include "dpl/body/s8.h"
#include "dpl/elementwise.h"
#include "dpl/requant.h"

#define KERNEL dpl_maximum_s8__ref
typedef dpl_mul_s8_args args;

/* The entry of an input; the next one where the two differ. */
static dpl_requant entry(const dpl_requant *q, int32_t step) {
    const dpl_requant one = {
        q->multiplier + step, q->rounding + step, q->shift + step, 0, q->rule, q->low, q->high};
    return one;
}

static void run(const args *a, const element *left, const element *right, element *out,
                int32_t count) {
    const dpl_requant first = entry(&a->requant, 0);
    const dpl_requant second = entry(&a->requant, a->requant.channel_step);
    for (int32_t i = 0; i < count; i++) {
        int32_t x = dpl_requantize(&first, left[i], 0);
        int32_t y = dpl_requantize(&second, right[i], 0);
        out[i] = (element)(x > y ? x : y);
    }
}

#include "dpl/body/mul.h"

/* Add and Sub, float, portable. No restrict: the output may take an input's place. */
#include "dpl/body/f32.h"
#include "dpl/elementwise.h"

#define KERNEL dpl_add_f32__fp32
typedef dpl_add_f32_args args;

static void run(const args *a, const float *left, const float *right, float *out, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        out[i] = bounded(left[i] + a->sign * right[i], a->low, a->high);
    }
}

#include "dpl/body/mul.h"

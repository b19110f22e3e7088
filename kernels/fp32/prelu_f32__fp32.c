/* PRelu, float, portable. No restrict: it may run in place. */
#include "dpl/body/f32.h"
#include "dpl/cores.h"
#include "dpl/elementwise.h"

#define KERNEL dpl_prelu_f32__fp32
typedef dpl_prelu_f32_args args;

static void pixel(const args *a, dpl_share channels, const float *input, float *out) {
    for (int32_t c = channels.begin; c < channels.end; c++) {
        const float x = input[c];
        out[c] = bounded(x < 0 ? x * a->slopes[c] : x, a->low, a->high);
    }
}

#include "dpl/body/prelu.h"

/* An activation that bounds its input, float, portable. */
#include "dpl/body/f32.h"
#include "dpl/elementwise.h"

#define KERNEL dpl_bound_f32__fp32
typedef dpl_rescale_f32_args args;
typedef element source;

static void run(const args *a, const float *input, float *out, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        out[i] = bounded(input[i], a->low, a->high);
    }
}

#include "dpl/body/runs.h"

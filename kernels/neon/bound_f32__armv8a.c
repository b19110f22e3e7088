/* An activation that bounds its input, float. */
#include "dpl/body/f32.h"
#include "dpl/elementwise.h"
#include "dpl/neon/runs_f32.h"

#define KERNEL dpl_bound_f32__armv8a
typedef dpl_rescale_f32_args args;
typedef element source;

INLINED float32x4_t value(const float_bounds *bounds, float32x4_t x, float32x4_t same) {
    (void)same;
    return within(x, bounds);
}

RUN_OF(run_values, float_bounds, value)

static void run(const args *a, const float *input, float *out, int32_t count) {
    const float_bounds bounds = {a->low, a->high};
    run_values(&bounds, input, input, out, count);
}

#include "dpl/body/runs.h"

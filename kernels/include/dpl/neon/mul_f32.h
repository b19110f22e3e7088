/* Mul and Maximum of floats: VALUE of two vectors, within the bounds. A kernel's file has `args`,
 * KERNEL and VALUE. */
#include "dpl/neon/runs_f32.h"

INLINED float32x4_t value(const float_bounds *bounds, float32x4_t x, float32x4_t y) {
    return within(VALUE(x, y), bounds);
}

RUN_OF(run_values, float_bounds, value)

static void run_of(const args *a, const float *left, const float *right, float *out,
                   int32_t count) {
    const float_bounds bounds = {a->low, a->high};
    run_values(&bounds, left, right, out, count);
}

#include "dpl/neon/broadcast.h"

/* Add and Sub, float. */
#include "dpl/body/f32.h"
#include "dpl/elementwise.h"
#include "dpl/neon/runs_f32.h"

#define KERNEL dpl_add_f32__armv8a
typedef dpl_add_f32_args args;

typedef struct {
    float32x4_t sign;
    float_bounds bounds;
} constants;

INLINED float32x4_t value(const constants *k, float32x4_t x, float32x4_t y) {
    return within(vfmaq_f32(x, y, k->sign), &k->bounds);
}

RUN_OF(run_values, constants, value)

static void run_of(const args *a, const float *left, const float *right, float *out,
                   int32_t count) {
    const constants k = {vdupq_n_f32(a->sign), {a->low, a->high}};
    run_values(&k, left, right, out, count);
}

#include "dpl/neon/broadcast.h"

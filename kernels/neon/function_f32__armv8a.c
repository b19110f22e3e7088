/* A function of each element, float: those of activation layers in vectors, the others portable. */
#include "dpl/body/f32.h"
#include "dpl/body/function.h"
#include "dpl/elementwise.h"
#include "dpl/neon/functions_f32.h"
#include "dpl/neon/runs_f32.h"

#define KERNEL dpl_function_f32__armv8a
typedef dpl_table_f32_args args;
typedef element source;

/* VALUE of `x` and the constants `a` of the layer. */
#define RUN_OF_FUNCTION(NAME, VALUE)                                                               \
    INLINED float32x4_t NAME##_value(const args *a, float32x4_t x, float32x4_t same) {             \
        (void)a;                                                                                   \
        (void)same;                                                                                \
        return VALUE;                                                                              \
    }                                                                                              \
    RUN_OF(run_##NAME, args, NAME##_value)

RUN_OF_FUNCTION(sigmoid, sigmoids(x))
RUN_OF_FUNCTION(hard_sigmoid, clipped(vfmaq_f32(all(a->beta), all(a->alpha), x), 0, 1))
RUN_OF_FUNCTION(tanh, hyperbolic_tangents(x))
RUN_OF_FUNCTION(swish, vmulq_f32(x, sigmoids(x)))
RUN_OF_FUNCTION(hard_swish, vmulq_f32(x, clipped(vfmaq_f32(all(0.5f), all(1.0f / 6), x), 0, 1)))
RUN_OF_FUNCTION(leaky_relu, bent(x, vmulq_f32(all(a->alpha), x)))
RUN_OF_FUNCTION(elu, bent(x, vmulq_f32(all(a->alpha), vsubq_f32(exponentials(x), all(1)))))
RUN_OF_FUNCTION(exp, exponentials(x))
RUN_OF_FUNCTION(abs, vabsq_f32(x))
RUN_OF_FUNCTION(clip, clipped(x, a->alpha, a->beta))

static void run_portable(const args *a, const float *input, float *out, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        out[i] = value_of(a->function, input[i], a->alpha, a->beta);
    }
}

/* The function is decided once a run. */
static void run(const args *given, const float *input, float *out, int32_t count) {
    const args held = *given, *a = &held; /* a store could change them */
    switch (a->function) {
    case DPL_SIGMOID: run_sigmoid(a, input, input, out, count); break;
    case DPL_HARD_SIGMOID: run_hard_sigmoid(a, input, input, out, count); break;
    case DPL_TANH: run_tanh(a, input, input, out, count); break;
    case DPL_SWISH: run_swish(a, input, input, out, count); break;
    case DPL_HARD_SWISH: run_hard_swish(a, input, input, out, count); break;
    case DPL_LEAKY_RELU: run_leaky_relu(a, input, input, out, count); break;
    case DPL_ELU: run_elu(a, input, input, out, count); break;
    case DPL_EXP: run_exp(a, input, input, out, count); break;
    case DPL_ABS: run_abs(a, input, input, out, count); break;
    case DPL_CLIP: run_clip(a, input, input, out, count); break;
    default: run_portable(a, input, out, count); break;
    }
}

#include "dpl/body/runs.h"

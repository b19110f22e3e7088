/* A function of each element, float, portable. */
#include "dpl/body/f32.h"
#include "dpl/body/function.h"
#include "dpl/elementwise.h"

#define KERNEL dpl_function_f32__fp32
typedef dpl_table_f32_args args;
typedef element source;

static void run(const args *a, const float *input, float *out, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        out[i] = value_of(a->function, input[i], a->alpha, a->beta);
    }
}

#include "dpl/body/runs.h"

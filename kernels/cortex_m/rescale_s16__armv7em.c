/* Rescale, int16: two elements of a word at a time by the rules i32, shift and q32. */
#include "dpl/body/s16.h"
#include "dpl/cortex_m/affine_s16.h"
#include "dpl/elementwise.h"

#define KERNEL dpl_rescale_s16__armv7em
typedef dpl_rescale_s16_args args;
typedef int16_t source;

static void run(const args *a, const source *input, element *out, int32_t count) {
    requantize_halves(&a->requant, input, out, count);
}

#include "dpl/body/runs.h"

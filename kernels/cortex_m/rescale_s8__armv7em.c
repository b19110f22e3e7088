/* Rescale, int8: four elements at a time by the rules i32 and shift. */
#include "dpl/body/s8.h"
#include "dpl/cortex_m/affine.h"
#include "dpl/elementwise.h"

#define KERNEL dpl_rescale_s8__armv7em
typedef dpl_rescale_s8_args args;
typedef int8_t source;

static void run(const args *a, const source *input, element *out, int32_t count) {
    requantize_run(&a->requant, input, out, count);
}

#include "dpl/body/runs.h"

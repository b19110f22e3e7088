/* Rescale of int8. No restrict: the output may take the input's place. */
#include "dpl/elementwise.h"

#include "dpl/pulp/affine.h"

#define KERNEL dpl_rescale_s8__xpulpv2
typedef dpl_rescale_s8_args args;

static void run(const args *a, const int8_t *input, int8_t *out, int32_t count) {
    dpl_affine_bytes(&a->requant, input, out, count);
}

#include "dpl/pulp/unary.h"

/* PRelu, int8. */
#include "dpl/body/s8.h"
#include "dpl/elementwise.h"

typedef dpl_prelu_s8_args args;

#define BYTES "1"
#define LOAD "ldrsb"
#define STORE "strb"
#define FROM_ZERO "sub %[x], %[x], %[zero]\n sub %[y], %[y], %[zero]\n"
#define LIMIT "8"

#include "dpl/cortex_m/prelu.h"

void dpl_prelu_s8__armv7em(const args *a) {
    by_pairs(a, dpl_core_part(a->output.height, a->output.channels));
}

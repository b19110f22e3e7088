/* ConvTranspose2d, int8, several groups, dilation 1, kernels no smaller than their strides. */
#include "dpl/conv_transpose2d.h"
#include "dpl/cortex_m/columns.h"
#include "dpl/cortex_m/high_s8.h"
#include "dpl/cortex_m/part_columns.h"

#include "dpl/cortex_m/parts.h"

typedef dpl_conv_transpose2d_s8_args args;

static inline const uint32_t *convolve_remainder(const args *a, const convolution *v) {
    parts_plan p;
    plan_parts(v, a->groups, &p);
    if (v->rows.count > 0 && v->columns.count > 0) {
        convolve_parts(&p);
    }
    return weights_behind(&p);
}

#define CONVOLVE convolve_remainder
#include "dpl/cortex_m/remainders.h"

void dpl_conv_transpose2d_s8__armv7em_groups(const dpl_conv_transpose2d_s8_args *a) {
    by_remainders(a);
}

/* Conv2d, int8, several groups, any window. */
#include "dpl/conv2d.h"
#include "dpl/cortex_m/columns.h"
#include "dpl/cortex_m/high_s8.h"
#include "dpl/cortex_m/part_columns.h"

#include "dpl/cortex_m/parts.h"

void dpl_conv2d_s8__armv7em_groups(const dpl_conv2d_s8_args *a) {
    const convolution v = WHOLE_CONVOLUTION(a);
    parts_plan p;
    plan_parts(&v, a->groups, &p);
    convolve_parts(&p);
}

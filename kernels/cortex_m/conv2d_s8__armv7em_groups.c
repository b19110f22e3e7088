/* Conv2d, int8, several groups, any window. */
#include "dpl/conv2d.h"
#include "dpl/cortex_m/columns.h"
#include "dpl/cortex_m/high_s8.h"
#include "dpl/cortex_m/part_columns.h"

#include "dpl/cortex_m/long_rows.h"
#include "dpl/cortex_m/parts.h"

void dpl_conv2d_s8__armv7em_groups(const dpl_conv2d_s8_args *a) {
    convolution v = WHOLE_CONVOLUTION(a);
    tensor input = a->input, output = a->output;
    parts_plan p;
    lengthen_rows(&v, &input, &output);
    plan_parts(&v, a->groups, &p);
    convolve_parts(&p);
}

/* Conv2d, int8, several groups, any window. */
#include "dpl/conv2d.h"
#include "dpl/cortex_m/columns.h"
#include "dpl/cortex_m/high_s8.h"
#include "dpl/cortex_m/part_columns.h"

#include "dpl/cortex_m/parts.h"

void dpl_conv2d_s8__armv7em_groups(const dpl_conv2d_s8_args *a) {
    const convolution v = {&a->input,
                           &a->output,
                           a->window,
                           a->input_zero,
                           (const uint32_t *)(const void *)a->weights,
                           &a->requant,
                           a->scratch,
                           {0, 1, a->output.height},
                           {0, 1, a->output.width}};
    parts_plan p;
    plan_parts(&v, a->groups, &p);
    convolve_parts(&p);
}

/* Conv2d, int16, one group, dilation 1: input channels that fill no words. */
#include "dpl/conv2d.h"
#include "dpl/cortex_m/columns_s16.h"
#include "dpl/cortex_m/high_s16.h"

#include "dpl/cortex_m/rows.h"

void dpl_conv2d_s16__armv7em_rows(const dpl_conv2d_s16_args *a) {
    const convolution v = WHOLE_CONVOLUTION(a);
    rows_plan p;
    plan_rows(&v, 1, &p);
    convolve_rows(&p, 1, 1);
}

/* DepthwiseConv2d 3x3 at stride 1 or 2, rules i32 and shift: depthwise_conv2d_s8__xpulpv2 without
 * the code for other windows. */
#include "dpl/pulp/depthwise_by_3x3.h"

void dpl_depthwise_conv2d_s8__xpulpv2_3x3(const dpl_depthwise_conv2d_s8_args *a) {
    dpl_depthwise_s8_3x3__xpulpv2(a, dpl_run_of(a));
}

/* DepthwiseConv2d 3x3 of transposed blocks at stride 1, a pad of one column on both sides: see
 * dpl/pulp/depthwise_blocked.h. */
#include "dpl/pulp/depthwise_blocked.h"

void dpl_depthwise_conv2d_s8__xpulpv2_blocked(const dpl_depthwise_conv2d_s8_args *a) {
    dpl_depthwise_blocked(a, dpl_depthwise_strips, dpl_depthwise_strips_bounded);
}

/* DepthwiseConv2d 3x3 of transposed blocks at stride 2, no pad on the left: see
 * dpl/pulp/depthwise_blocked.h. */
#include "dpl/pulp/depthwise_blocked.h"

void dpl_depthwise_conv2d_s8__xpulpv2_blocked_by_2_unpadded(const dpl_depthwise_conv2d_s8_args *a) {
    dpl_depthwise_blocked(a, dpl_depthwise_strips_by_2_unpadded,
                          dpl_depthwise_strips_by_2_unpadded_bounded);
}

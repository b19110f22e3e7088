/* Conv2d of a tile whose windows no side cuts: conv2d_s8__xpulpv2 without the code for others. */
#include "dpl/pulp/conv2d_interior.h"

void dpl_conv2d_s8__xpulpv2_interior(const dpl_conv2d_s8_args *a) {
    dpl_conv2d_s8_interior__xpulpv2(a, 0);
}

/* Conv2d of any channels, groups and windows: see conv2d_blocks.c. */
#include "dpl/pulp/conv2d_blocks.h"

void dpl_conv2d_s8__xpulpv2(const dpl_conv2d_s8_args *a) {
    dpl_conv2d_s8_blocks(a, 0);
}

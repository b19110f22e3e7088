/* Convolutions whose windows no side cuts: dpl/pulp/interior.h. Apart from others, so that they
 * have not its stack, too, and once for all kernels that have them. */
#include "dpl/pulp/conv2d_interior.h"

#include "dpl/pulp/interior.h"

void dpl_conv2d_s8_interior__xpulpv2(const dpl_conv2d_s8_args *a, int32_t blocks) {
    dpl_conv2d_interior(a, blocks);
}

/* Conv2d of a tile whose output's blocks of four pixels of a row by four channels are transposed,
 * for a depthwise convolution behind it: channels and columns in fours, windows that no side cuts,
 * rules i32 and shift, runs of more than a word. */
#include "dpl/pulp/conv2d_interior.h"

void dpl_conv2d_s8__xpulpv2_blocked(const dpl_conv2d_s8_args *a) {
    dpl_conv2d_s8_interior__xpulpv2(a, BLOCK_TRANSPOSED);
}

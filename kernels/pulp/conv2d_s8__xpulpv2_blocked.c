/* Conv2d whose output's blocks of four pixels of a row by four channels are transposed, for a
 * depthwise convolution behind it: channels and columns in fours, rules i32 and shift, runs of more
 * than a word. See conv2d_blocks.c. */
#include "dpl/pulp/conv2d_blocks.h"

void dpl_conv2d_s8__xpulpv2_blocked(const dpl_conv2d_s8_args *a) {
    dpl_conv2d_s8_blocks(a, BLOCK_TRANSPOSED);
}

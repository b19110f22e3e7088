/* ConvTranspose2d, int8, many channels and few outputs a group, dilation 1, kernels no smaller
 * than their strides: products in lanes. */
#include "dpl/conv_transpose2d.h"
#include "dpl/neon/deep_s8.h"

#define KERNEL dpl_conv_transpose2d_s8__armv8a_deep
typedef dpl_conv_transpose2d_s8_args args;

#include "dpl/neon/conv_transpose2d.h"

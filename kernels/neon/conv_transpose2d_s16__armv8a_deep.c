/* ConvTranspose2d, int16, many channels and few outputs a group, dilation 1, kernels no smaller
 * than their strides: products in lanes. */
#include "dpl/conv_transpose2d.h"
#include "dpl/neon/deep_s16.h"

#define KERNEL dpl_conv_transpose2d_s16__armv8a_deep
typedef dpl_conv_transpose2d_s16_args args;

#include "dpl/neon/conv_transpose2d.h"

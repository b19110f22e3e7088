/* ConvTranspose2d, int8, dilation 1, kernels no smaller than their strides. */
#include "dpl/conv_transpose2d.h"
#include "dpl/neon/convolve_s8.h"

#define KERNEL dpl_conv_transpose2d_s8__armv8a
typedef dpl_conv_transpose2d_s8_args args;

#include "dpl/neon/conv_transpose2d.h"

/* ConvTranspose2d, int16, dilation 1, kernels no smaller than their strides. */
#include "dpl/conv_transpose2d.h"
#include "dpl/neon/convolve_s16.h"

#define KERNEL dpl_conv_transpose2d_s16__armv8a
typedef dpl_conv_transpose2d_s16_args args;

#include "dpl/neon/conv_transpose2d.h"

/* ConvTranspose2d, float, dilation 1, kernels no smaller than their strides. */
#include "dpl/conv_transpose2d.h"
#include "dpl/neon/convolve_f32.h"

#define KERNEL dpl_conv_transpose2d_f32__armv8a
typedef dpl_conv_transpose2d_f32_args args;

#include "dpl/neon/conv_transpose2d.h"

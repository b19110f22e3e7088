/* ConvTranspose2d, int8, few channels, any groups, dilation 1, kernels no smaller than their
 * strides. */
#include "dpl/conv_transpose2d.h"
#include "dpl/cortex_m/planes_s8.h"

#define KERNEL dpl_conv_transpose2d_s8__armv7em_planes
typedef dpl_conv_transpose2d_s8_args args;
#include "dpl/cortex_m/conv_transpose2d_planes.h"

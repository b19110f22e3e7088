/* ConvTranspose2d, int16, few channels, any groups, dilation 1, kernels no smaller than their
 * strides. */
#include "dpl/conv_transpose2d.h"
#include "dpl/cortex_m/planes_s16.h"

#define KERNEL dpl_conv_transpose2d_s16__armv7em_planes
typedef dpl_conv_transpose2d_s16_args args;
#include "dpl/cortex_m/conv_transpose2d_planes.h"

/* ConvTranspose2d, int16, few channels a group, dilation 1, kernels no smaller than their strides:
 * in planes. */
#include "dpl/conv_transpose2d.h"
#include "dpl/neon/planes_s16.h"

#include "dpl/neon/planes_joined.h"

#define KERNEL dpl_conv_transpose2d_s16__armv8a_planes
typedef dpl_conv_transpose2d_s16_args args;

#include "dpl/neon/conv_transpose2d.h"

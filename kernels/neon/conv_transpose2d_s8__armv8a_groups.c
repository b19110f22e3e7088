/* ConvTranspose2d, int8, four groups or more, dilation 1, kernels no smaller than their strides:
 * in lanes of groups. */
#include "dpl/conv_transpose2d.h"
#include "dpl/neon/groups_s8.h"

#include "dpl/neon/planes_joined.h"

#define KERNEL dpl_conv_transpose2d_s8__armv8a_groups
typedef dpl_conv_transpose2d_s8_args args;

#include "dpl/neon/conv_transpose2d.h"

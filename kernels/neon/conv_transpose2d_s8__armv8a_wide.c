/* ConvTranspose2d, int8, dilation 1, kernels no smaller than their strides: in planes, pixels of
 * a stride taken as one. */
#define WIDE_PIXELS
#include "dpl/conv_transpose2d.h"
#include "dpl/neon/planes_s8.h"

#include "dpl/neon/planes_joined.h"

#define KERNEL dpl_conv_transpose2d_s8__armv8a_wide
typedef dpl_conv_transpose2d_s8_args args;

#include "dpl/neon/conv_transpose2d_wide.h"

/* ConvTranspose2d, int8, one group, dilation 1, kernels no smaller than their strides, few output
 * channels. */
#include "dpl/conv_transpose2d.h"
#include "dpl/cortex_m/columns.h"
#include "dpl/cortex_m/high_s8.h"

#define KERNEL dpl_conv_transpose2d_s8__armv7em_joined
typedef dpl_conv_transpose2d_s8_args args;

#include "dpl/cortex_m/joined.h"

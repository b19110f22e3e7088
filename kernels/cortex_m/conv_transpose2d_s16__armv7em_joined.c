/* ConvTranspose2d, int16, one group, dilation 1, kernels no smaller than their strides, few output
 * channels. */
#include "dpl/conv_transpose2d.h"
#include "dpl/cortex_m/columns_s16.h"
#include "dpl/cortex_m/high_s16.h"

#define KERNEL dpl_conv_transpose2d_s16__armv7em_joined
typedef dpl_conv_transpose2d_s16_args args;

#include "dpl/cortex_m/joined.h"

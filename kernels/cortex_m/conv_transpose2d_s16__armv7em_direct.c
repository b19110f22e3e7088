/* ConvTranspose2d, int16, few output channels for each input, any groups, dilation 1, kernels no
 * smaller than their strides. */
#include "dpl/conv_transpose2d.h"
#include "dpl/cortex_m/direct_s16.h"

typedef dpl_conv_transpose2d_s16_args args;
#define KERNEL dpl_conv_transpose2d_s16__armv7em_direct
#include "dpl/cortex_m/direct_transposed.h"

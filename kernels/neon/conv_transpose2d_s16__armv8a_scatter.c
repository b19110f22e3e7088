/* ConvTranspose2d, int16, few outputs a group, dilation 1, kernels no smaller than their strides,
 * by the rule Q32: what an input pixel adds to outputs. */
#include "dpl/body/s16.h"
#include "dpl/conv_transpose2d.h"

#define KERNEL dpl_conv_transpose2d_s16__armv8a_scatter
typedef dpl_conv_transpose2d_s16_args args;

#include "dpl/neon/scatter.h"

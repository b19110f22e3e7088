/* DepthwiseConv2d of little work and less than four channels, int16. */
#include "dpl/body/s16.h"
#include "dpl/depthwise_conv2d.h"

#define KERNEL dpl_depthwise_conv2d_s16__armv7em_small
typedef dpl_depthwise_conv2d_s16_args args;

#include "dpl/cortex_m/depthwise_small.h"

/* DepthwiseConv2d of little work and less than four channels, int8. */
#include "dpl/body/s8.h"
#include "dpl/depthwise_conv2d.h"

#define KERNEL dpl_depthwise_conv2d_s8__armv7em_small
typedef dpl_depthwise_conv2d_s8_args args;

#include "dpl/cortex_m/depthwise_small.h"

/* DepthwiseConv2d, int16, portable. */
#include "dpl/body/s16.h"
#include "dpl/depthwise_conv2d.h"

#define KERNEL dpl_depthwise_conv2d_s16__ref
typedef dpl_depthwise_conv2d_s16_args args;

#include "dpl/body/depthwise_conv2d.h"

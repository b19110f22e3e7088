/* DepthwiseConv2d, int8, portable. */
#include "dpl/body/s8.h"
#include "dpl/depthwise_conv2d.h"

#define KERNEL dpl_depthwise_conv2d_s8__ref
typedef dpl_depthwise_conv2d_s8_args args;

#include "dpl/body/depthwise_conv2d.h"

/* DepthwiseConv2d of int16, any window, pixel after pixel (dpl/cortex_m/depthwise_channels.h). */
#include "dpl/body/s16.h"
#include "dpl/depthwise_conv2d.h"

#define KERNEL dpl_depthwise_conv2d_s16__armv7em_channels
#define BITS 16
#define SHARES 0
#define STORE "strh"
#define LANE(I) (I)
typedef dpl_depthwise_conv2d_s16_args args;

#include "dpl/cortex_m/depthwise_channels.h"

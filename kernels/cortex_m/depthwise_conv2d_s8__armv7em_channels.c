/* DepthwiseConv2d of int8, any window, pixel after pixel (dpl/cortex_m/depthwise_channels.h). */
#include "dpl/body/s8.h"
#include "dpl/depthwise_conv2d.h"

#define KERNEL dpl_depthwise_conv2d_s8__armv7em_channels
#define BITS 8
#define SHARES 0
#define STORE "strb"
/* Channels 0, 2, 1 and 3 of a tap follow one another. */
#define LANE(I) ((I) == 1 || (I) == 2 ? 3 - (I) : (I))
typedef dpl_depthwise_conv2d_s8_args args;

#include "dpl/cortex_m/depthwise_channels.h"

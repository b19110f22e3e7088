/* DepthwiseConv2d of int8, several outputs a channel (dpl/cortex_m/depthwise_channels.h). */
#include "dpl/body/s8.h"
#include "dpl/depthwise_conv2d.h"

#define KERNEL dpl_depthwise_conv2d_s8__armv7em_several
#define BITS 8
#define SHARES 1
#define STORE "strb"
#define LANE(I) (I)
typedef dpl_depthwise_conv2d_s8_args args;

#include "dpl/cortex_m/depthwise_channels.h"

/* DepthwiseConv2d of int16, several outputs a channel (dpl/cortex_m/depthwise_channels.h). */
#include "dpl/body/s16.h"
#include "dpl/depthwise_conv2d.h"

#define KERNEL dpl_depthwise_conv2d_s16__armv7em_several
#define BITS 16
#define SHARES 1
#define STORE "strh"
#define LANE(I) (I)
typedef dpl_depthwise_conv2d_s16_args args;

#include "dpl/cortex_m/depthwise_channels.h"

/* DepthwiseConv2d of int16, several outputs a channel (dpl/cortex_m/depthwise_gathered.h). */
#include "dpl/body/s16.h"
#include "dpl/depthwise_conv2d.h"

#define KERNEL dpl_depthwise_conv2d_s16__armv7em_gathered
#define BITS 16
#define STORE "strh"
typedef dpl_depthwise_conv2d_s16_args args;

#include "dpl/cortex_m/depthwise_gathered.h"

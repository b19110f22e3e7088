/* DepthwiseConv2d of int8, several outputs a channel (dpl/cortex_m/depthwise_gathered.h). */
#include "dpl/body/s8.h"
#include "dpl/depthwise_conv2d.h"

#define KERNEL dpl_depthwise_conv2d_s8__armv7em_gathered
#define BITS 8
#define STORE "strb"
typedef dpl_depthwise_conv2d_s8_args args;

#include "dpl/cortex_m/depthwise_gathered.h"

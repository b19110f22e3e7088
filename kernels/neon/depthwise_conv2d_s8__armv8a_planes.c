/* DepthwiseConv2d, int8, several outputs a channel: in planes. */
#include "dpl/depthwise_conv2d.h"
#include "dpl/neon/planes_s8.h"

#include "dpl/neon/planes_phases.h"

#define KERNEL dpl_depthwise_conv2d_s8__armv8a_planes
#define GROUPS(A) ((A)->input.channels)
typedef dpl_depthwise_conv2d_s8_args args;

#include "dpl/neon/conv2d.h"

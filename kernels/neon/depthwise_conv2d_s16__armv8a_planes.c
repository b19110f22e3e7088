/* DepthwiseConv2d, int16, several outputs a channel: in planes. */
#include "dpl/depthwise_conv2d.h"
#include "dpl/neon/planes_s16.h"

#include "dpl/neon/planes_phases.h"

#define KERNEL dpl_depthwise_conv2d_s16__armv8a_planes
#define GROUPS(A) ((A)->input.channels)
typedef dpl_depthwise_conv2d_s16_args args;

#include "dpl/neon/conv2d.h"

/* DepthwiseConv2d, int16. */
#include "dpl/depthwise_conv2d.h"
#include "dpl/neon/depthwise_tall_s16.h"

#define KERNEL dpl_depthwise_conv2d_s16__armv8a
#define PAIRS_FIT(A) 1
#define PIECES(A) ((A)->weights)
typedef dpl_depthwise_conv2d_s16_args args;

#include "dpl/neon/depthwise_conv2d.h"

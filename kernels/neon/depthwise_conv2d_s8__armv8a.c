/* DepthwiseConv2d, int8. */
#include "dpl/depthwise_conv2d.h"
#include "dpl/neon/depthwise_tall_s8.h"

#define KERNEL dpl_depthwise_conv2d_s8__armv8a
#define PAIRS_FIT(A) (*(const int32_t *)(const void *)(A)->weights)
#define PIECES(A) ((A)->weights + DPL_HEADER_BYTES)
typedef dpl_depthwise_conv2d_s8_args args;

#include "dpl/neon/depthwise_conv2d.h"

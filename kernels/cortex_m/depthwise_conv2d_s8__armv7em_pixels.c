/* DepthwiseConv2d of int8, any window, four pixels of a channel at a time
 * (dpl/cortex_m/depthwise_pixels.h). */
#include "dpl/body/s8.h"
#include "dpl/depthwise_conv2d.h"

#define KERNEL dpl_depthwise_conv2d_s8__armv7em_pixels
#define BITS 8
#define SIZE_TEXT "1"
#define LOAD "ldrsb"
#define STORE "strb"
#define LIMIT(S) "ssat %[" S "], #8, %[" S "]\n"
typedef dpl_depthwise_conv2d_s8_args args;

#include "dpl/cortex_m/depthwise_pixels.h"

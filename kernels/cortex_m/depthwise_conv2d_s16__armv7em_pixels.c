/* DepthwiseConv2d of int16, any window, four pixels of a channel at a time
 * (dpl/cortex_m/depthwise_pixels.h). */
#include "dpl/body/s16.h"
#include "dpl/depthwise_conv2d.h"

#define KERNEL dpl_depthwise_conv2d_s16__armv7em_pixels
#define BITS 16
#define SIZE_TEXT "2"
#define LOAD "ldrsh"
#define STORE "strh"
#define LIMIT(S) "ssat %[" S "], #16, %[" S "]\n"
#define NOT_BELOW_ZERO(S) "usat %[" S "], #15, %[" S "]\n"
typedef dpl_depthwise_conv2d_s16_args args;

#include "dpl/cortex_m/depthwise_pixels.h"

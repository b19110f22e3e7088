/* DepthwiseConv2d of int16, any window (dpl/cortex_m/depthwise.h). */
#include "dpl/body/s16.h"
#include "dpl/cortex_m/pack_s16.h"
#include "dpl/depthwise_conv2d.h"

#define KERNEL dpl_depthwise_conv2d_s16__armv7em
#define BITS "16"
#define LOAD "ldrsh"
#define STORE "strh"
typedef dpl_depthwise_conv2d_s16_args args;

static inline int32_t saturate(int32_t x) {
    return saturate16(x);
}

#include "dpl/cortex_m/depthwise.h"

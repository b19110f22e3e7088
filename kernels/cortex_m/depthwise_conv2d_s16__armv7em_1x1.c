/* DepthwiseConv2d of int16, one tap, no padding (dpl/cortex_m/scale.h). */
#include "dpl/body/s16.h"
#include "dpl/cortex_m/simd.h"
#include "dpl/depthwise_conv2d.h"

#define KERNEL dpl_depthwise_conv2d_s16__armv7em_1x1
#define BITS "16"
#define BYTES "2"
#define LOAD "ldrsh"
#define STORE "strh"
#define WORDS 1
typedef dpl_depthwise_conv2d_s16_args args;

static inline int32_t saturate(int32_t x) {
    return saturate16(x);
}

#include "dpl/cortex_m/scale.h"

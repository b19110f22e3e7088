/* DepthwiseConv2d of int8, one tap, no padding (dpl/cortex_m/scale.h). */
#include "dpl/body/s8.h"
#include "dpl/cortex_m/simd.h"
#include "dpl/depthwise_conv2d.h"

#define KERNEL dpl_depthwise_conv2d_s8__armv7em_1x1
#define BITS "8"
#define BYTES "1"
#define LOAD "ldrsb"
#define STORE "strb"
#define WORDS 0
typedef dpl_depthwise_conv2d_s8_args args;

static inline int32_t saturate(int32_t x) {
    return saturate8(x);
}

#include "dpl/cortex_m/scale.h"

/* Conv2d of one channel to one, int16: depthwise, on packed rows (dpl/cortex_m/depthwise.h). */
#include "dpl/body/s16.h"
#include "dpl/conv2d.h"
#include "dpl/cortex_m/pack_s16.h"

#define KERNEL dpl_conv2d_s16__armv7em_channel
#define BITS "16"
#define LOAD "ldrsh"
#define STORE "strh"
typedef dpl_conv2d_s16_args args;

static inline int32_t saturate(int32_t x) {
    return saturate16(x);
}

#include "dpl/cortex_m/depthwise.h"

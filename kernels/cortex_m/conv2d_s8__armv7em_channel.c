/* Conv2d of one channel to one, int8: depthwise, on packed rows (dpl/cortex_m/depthwise.h). */
#include "dpl/body/s8.h"
#include "dpl/conv2d.h"
#include "dpl/cortex_m/pack.h"

#define KERNEL dpl_conv2d_s8__armv7em_channel
#define BITS "8"
#define LOAD "ldrsb"
#define STORE "strb"
typedef dpl_conv2d_s8_args args;

static inline int32_t saturate(int32_t x) {
    return saturate8(x);
}

/* Fours of channels of `count` pairs of pixels to words (first, second), `apart` words from a
 * pair's to the next: by words. */
static inline void pack_pairs(two_walks from, int32_t count, int32_t apart, uint32_t *to) {
    pack_walks(from, count, 4 * apart, to);
}

#include "dpl/cortex_m/depthwise.h"

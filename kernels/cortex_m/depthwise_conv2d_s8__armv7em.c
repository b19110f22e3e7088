/* DepthwiseConv2d of int8, any size of kernel at stride 1 or 2 (dpl/cortex_m/depthwise.h). */
#include "dpl/body/s8.h"
#include "dpl/cortex_m/pack.h"
#include "dpl/depthwise_conv2d.h"

#define KERNEL dpl_depthwise_conv2d_s8__armv7em
#define BITS "8"
#define STORE "strb"
typedef dpl_depthwise_conv2d_s8_args args;

static inline int32_t saturate(int32_t x) {
    return saturate8(x);
}

/* Four channels of two pixels to four words (first, second). */
static inline void pack_pixels(const int8_t *first, const int8_t *second, uint32_t *to) {
    pack_rows(load_word(first), load_word(second), to);
}

/* `count` pairs of pixels that lie next to one another. */
static void pack_inside(const element *from, int32_t pitch, int32_t count, uint32_t *to) {
    pack_walks((two_walks){from, from + pitch, 2 * pitch, 2 * pitch}, count, 16, to);
}

#include "dpl/cortex_m/depthwise.h"

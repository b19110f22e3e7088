/* DepthwiseConv2d of int16, any size of kernel at stride 1 or 2 (dpl/cortex_m/depthwise.h). */
#include "dpl/body/s16.h"
#include "dpl/cortex_m/pack.h"
#include "dpl/depthwise_conv2d.h"

#define KERNEL dpl_depthwise_conv2d_s16__armv7em
#define BITS "16"
#define STORE "strh"
typedef dpl_depthwise_conv2d_s16_args args;

static inline int32_t saturate(int32_t x) {
    return saturate16(x);
}

/* Four channels of two pixels to four words (first, second). */
static inline void pack_pixels(const int16_t *first, const int16_t *second, uint32_t *to) {
    const uint32_t a = load_word(first), b = load_word(second);
    const uint32_t c = load_word(first + 2), d = load_word(second + 2);
    to[0] = low_halves(a, b);
    to[1] = high_halves(a, b);
    to[2] = low_halves(c, d);
    to[3] = high_halves(c, d);
}

/* `count` pairs of pixels that lie next to one another. */
static void pack_inside(const element *from, int32_t pitch, int32_t count, uint32_t *to) {
    for (; count > 0; count--, from += 2 * pitch, to += 4) {
        pack_pixels(from, from + pitch, to);
    }
}

#include "dpl/cortex_m/depthwise.h"

/* DepthwiseConv2d of int16, any window (dpl/cortex_m/depthwise.h). */
#include "dpl/body/s16.h"
#include "dpl/cortex_m/simd.h"
#include "dpl/depthwise_conv2d.h"

#define KERNEL dpl_depthwise_conv2d_s16__armv7em
#define BITS "16"
#define STORE "strh"
typedef dpl_depthwise_conv2d_s16_args args;

static inline int32_t saturate(int32_t x) {
    return saturate16(x);
}

/* A walk over pixels: where the next two are, and how far the two after them. */
typedef struct {
    const int16_t *top, *bottom;
    int32_t top_pitch, bottom_pitch;
} two_walks;

/* Fours of channels of `count` pairs of pixels to words (first, second), `apart` words from a
 * pair's to the next. */
static __attribute__((noinline)) void pack_pairs(two_walks from, int32_t count, int32_t apart,
                                                 uint32_t *to) {
    for (; count > 0; count--, to += apart) {
        const uint32_t a = load_word(from.top), b = load_word(from.bottom);
        const uint32_t c = load_word(from.top + 2), d = load_word(from.bottom + 2);
        to[0] = low_halves(a, b);
        to[1] = high_halves(a, b);
        to[2] = low_halves(c, d);
        to[3] = high_halves(c, d);
        from.top += from.top_pitch;
        from.bottom += from.bottom_pitch;
    }
}

#include "dpl/cortex_m/depthwise.h"

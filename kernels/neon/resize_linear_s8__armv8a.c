/* Resize, linear, int8: sums of 16 bits where the weights, which add up to a power of two, fit
 * int8 and the sums of their products fit. Others are sums of 32 bits. */
#include "dpl/body/s8.h"
#include "dpl/neon/blend.h"
#include "dpl/resize.h"

#define KERNEL dpl_resize_linear_s8__armv8a
typedef dpl_resize_s8_args args;

#include "dpl/body/resize_linear_pixel.h"

enum { NARROW_SHIFT = 6 };

/* Eight elements by weights of at most 64. */
INLINED int8x8_t narrow_eight(const element *const from[4], const blend *b, int32_t i) {
    int16x8_t sum = vmull_s8(vld1_s8(from[0] + i), b->narrow[0]);
    UNROLLED for (int t = 1; t < 4; t++) {
        sum = vmlal_s8(sum, vld1_s8(from[t] + i), b->narrow[t]);
    }
    return vqmovn_s16(vrshlq_s16(sum, b->narrow_shift));
}

static inline void narrow_pixel(const element *const from[4], const blend *b, int32_t count,
                                element *out) {
    const int32_t last = count - EIGHT;
    int32_t i = 0;
    for (; i + 2 * EIGHT <= count; i += 2 * EIGHT) {
        const int8x8_t first = narrow_eight(from, b, i), second = narrow_eight(from, b, i + EIGHT);
        vst1_s8(out + i, first);
        vst1_s8(out + i + EIGHT, second);
    }
    if (i < last) {
        vst1_s8(out + i, narrow_eight(from, b, i));
    }
    if (i < count) {
        vst1_s8(out + last, narrow_eight(from, b, last));
    }
}

static void pixel_in_vectors(const element *const from[4], const int32_t weight[4], int32_t shift,
                             int32_t count, element *out) {
    if (count < EIGHT) {
        pixel(from, weight, shift, count, out);
        return;
    }
    const blend b = blend_of(weight, shift);
    if (shift <= NARROW_SHIFT) {
        narrow_pixel(from, &b, count, out);
    } else {
        wide_pixel(from, &b, count, out);
    }
}

#define pixel pixel_in_vectors
#include "dpl/body/resize_linear.h"

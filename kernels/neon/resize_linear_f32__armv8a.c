/* Resize, linear, float. */
#include "dpl/body/f32.h"
#include "dpl/neon/floats.h"
#include "dpl/resize.h"

#define KERNEL dpl_resize_linear_f32__armv8a
typedef dpl_resize_f32_args args;

enum { LANES_OF_VECTOR = 4 };

/* The first `count` of a vector, `i` channels on: four loads and products, and a store. */
INLINED void blend(const float *const from[4], const float32x4_t share[4], int32_t i, int32_t count,
                   float *out) {
    float32x4_t sum = vmulq_f32(load_some(from[0] + i, count), share[0]);
    UNROLLED for (int j = 1; j < 4; j++) {
        sum = vfmaq_f32(sum, load_some(from[j] + i, count), share[j]);
    }
    store_some(out + i, sum, count);
}

/* The channels of one output pixel: from[0] and from[1] of the upper row, the others below. The
 * weights are whole numbers whose sum is 2^shift. */
static void pixel(const float *const from[4], const int32_t weight[4], int32_t shift, int32_t count,
                  float *restrict out) {
    const float part = 1.0f / (float)(1 << shift);
    const float32x4_t share[4] = {
        vdupq_n_f32((float)weight[0] * part), vdupq_n_f32((float)weight[1] * part),
        vdupq_n_f32((float)weight[2] * part), vdupq_n_f32((float)weight[3] * part)};
    int32_t i = 0;
    for (; i + LANES_OF_VECTOR <= count; i += LANES_OF_VECTOR) {
        blend(from, share, i, LANES_OF_VECTOR, out);
    }
    if (i < count) {
        blend(from, share, i, count - i, out);
    }
}

#include "dpl/body/resize_linear.h"

/* Resize, linear, float, portable. */
#include "dpl/body/f32.h"
#include "dpl/resize.h"

#define KERNEL dpl_resize_linear_f32__fp32
typedef dpl_resize_f32_args args;

/* The channels of one output pixel: from[0] and from[1] of the upper row, the others below. The
 * weights are whole numbers whose sum is 2^shift. */
static void pixel(const float *const from[4], const int32_t weight[4], int32_t shift, int32_t count,
                  float *restrict out) {
    const float share = 1.0f / (float)(1 << shift);
    const float wa = (float)weight[0] * share, wb = (float)weight[1] * share;
    const float wc = (float)weight[2] * share, wd = (float)weight[3] * share;
    for (int32_t i = 0; i < count; i++) {
        out[i] = from[0][i] * wa + from[1][i] * wb + from[2][i] * wc + from[3][i] * wd;
    }
}

#include "dpl/body/resize_linear.h"

/* Conv2d, int8, 1x1 at stride 1, channels in fours: a column is a pixel, widened. */
#include "dpl/conv2d.h"
#include "dpl/cortex_m/columns.h"
#include "dpl/cortex_m/high_s8.h"

#include "dpl/cortex_m/pointwise.h"

void dpl_conv2d_s8__armv7em_1x1(const dpl_conv2d_s8_args *a) {
    const uint32_t *weights = (const uint32_t *)(const void *)a->weights;
    convolve_points(&a->input, &a->output, weights, &a->requant, a->scratch);
}

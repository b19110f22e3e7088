/* Conv2d, int16, 1x1 at stride 1, channels in fours: a column is a pixel. */
#include "dpl/conv2d.h"
#include "dpl/cortex_m/columns_s16.h"
#include "dpl/cortex_m/high_s16.h"

#include "dpl/cortex_m/pointwise.h"

void dpl_conv2d_s16__armv7em_1x1(const dpl_conv2d_s16_args *a) {
    const uint32_t *weights = (const uint32_t *)(const void *)a->weights;
    convolve_points(&a->input, &a->output, weights, &a->requant, a->scratch);
}

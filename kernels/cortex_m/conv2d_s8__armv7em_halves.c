/* Conv2d, int8, few output channels for each input, any groups and window: rows are copied as
 * halfwords, whose windows are read where they lie. */
#include "dpl/conv2d.h"
#include "dpl/cortex_m/direct_s8.h"

#include "dpl/cortex_m/direct_bands.h"

/* Of members, as gcc calls memcpy for the whole. */
void dpl_conv2d_s8__armv7em_halves(const dpl_conv2d_s8_args *a) {
    convolution v;
    v.input = a->input;
    v.output = a->output;
    v.rows = (stripes){0, 1, a->output.height};
    v.columns = (stripes){0, 1, a->output.width};
    v.window = a->window;
    v.groups = a->groups;
    v.copied = 0;
    v.input_zero = a->input_zero;
    v.weights = (const uint32_t *)(const void *)a->weights;
    v.requant = &a->requant;
    v.scratch = a->scratch;
    convolve_in_bands(&v);
    bound_all(&a->output, &a->requant);
}

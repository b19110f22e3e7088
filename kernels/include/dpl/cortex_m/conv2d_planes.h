/* Conv2d on planes: a body, with what planes_conv.h needs of its type and KERNEL before it. */
#include "dpl/cortex_m/planes_conv.h"

/* Of members, as gcc calls memcpy for the whole. */
void KERNEL(const args *a) {
    const dpl_window *w = &a->window;
    const int32_t depth = a->input.channels / a->groups;
    convolution v;
    v.input = a->input;
    v.output = a->output;
    v.rows = (stripes){0, 1, a->output.height};
    v.columns = (stripes){0, 1, a->output.width};
    v.window = a->window;
    v.groups = a->groups;
    v.input_zero = a->input_zero;
    v.weights = a->weights;
    v.tap_column = depth;
    v.tap_row = w->kernel_width * depth;
    v.filter = w->kernel_height * v.tap_row;
    v.bias = a->bias;
    v.folded = 1;
    v.requant = &a->requant;
    v.scratch = a->scratch;
    convolve_planes(&v);
}

/* ConvTranspose2d on planes, dilation 1, kernels no smaller than their strides: a body, with what
 * planes_conv.h needs of its type, `args` and KERNEL before it. Each remainder of the strides is a
 * convolution (dpl/remainder_axis.h), with the weights of its taps from the last to the
 * first. */
#include "dpl/cortex_m/planes_conv.h"

/* What all remainders have in common. */
static inline void begin_convolution(const args *a, convolution *v) {
    v->groups = a->groups;
    v->input_zero = a->input_zero;
    v->bias = a->bias;
    v->folded = 0;
    v->requant = &a->requant;
    v->scratch = a->scratch;
}

/* The convolution of row remainder y and column remainder x. */
static inline void set_remainder(const args *a, int32_t y, int32_t x, convolution *v) {
    const dpl_window *w = &a->window;
    const int32_t depth = a->input.channels / a->groups, row = w->kernel_width * depth;
    const remainder_axis rows =
        axis_of(y, w->stride_height, w->kernel_height, w->pads.top, a->output.height);
    const remainder_axis columns =
        axis_of(x, w->stride_width, w->kernel_width, w->pads.left, a->output.width);
    v->input = a->input;
    v->output = a->output;
    v->rows = rows.outputs;
    v->columns = columns.outputs;
    v->window = (dpl_window){rows.taps, columns.taps, 1, 1, 1, 1, {rows.pad, columns.pad, 0, 0}};
    v->tap_row = -w->stride_height * row;
    v->tap_column = -w->stride_width * depth;
    v->filter = w->kernel_height * row;
    v->weights = a->weights + y * row + x * depth - (rows.taps - 1) * v->tap_row -
                 (columns.taps - 1) * v->tap_column;
}

void KERNEL(const args *a) {
    convolution v;
    begin_convolution(a, &v);
    for (int32_t y = 0; y < a->window.stride_height; y++) {
        for (int32_t x = 0; x < a->window.stride_width; x++) {
            set_remainder(a, y, x, &v);
            if (v.rows.count > 0 && v.columns.count > 0) {
                convolve_planes(&v);
            }
        }
    }
}

/* ConvTranspose2d, int16, few output channels for each input, any groups, dilation 1, kernels no
 * smaller than their strides. */
#include "dpl/conv_transpose2d.h"
#include "dpl/cortex_m/direct_s16.h"

typedef dpl_conv_transpose2d_s16_args args;

/* The convolution of row remainder y and column remainder x. */
static inline void set_remainder(const args *a, int32_t y, int32_t x, convolution *v) {
    const dpl_window *w = &a->window;
    const remainder_axis rows =
        axis_of(y, w->stride_height, w->kernel_height, w->pads.top, a->output.height);
    const remainder_axis columns =
        axis_of(x, w->stride_width, w->kernel_width, w->pads.left, a->output.width);
    v->input = a->input;
    v->output = a->output;
    v->rows = rows.outputs;
    v->columns = columns.outputs;
    v->window = (dpl_window){rows.taps, columns.taps, 1, 1, 1, 1, {rows.pad, columns.pad, 0, 0}};
}

/* Weights follow one another in the order of the remainders. */
void dpl_conv_transpose2d_s16__armv7em_direct(const args *a) {
    convolution v;
    v.groups = a->groups;
    v.input_zero = a->input_zero;
    v.weights = (const uint32_t *)(const void *)a->weights;
    v.requant = &a->requant;
    v.scratch = a->scratch;
    for (int32_t y = 0; y < a->window.stride_height; y++) {
        for (int32_t x = 0; x < a->window.stride_width; x++) {
            set_remainder(a, y, x, &v);
            v.weights = convolve_directly(&v);
        }
    }
}

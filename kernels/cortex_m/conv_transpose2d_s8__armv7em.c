/* ConvTranspose2d, int8, one group, dilation 1, kernels no smaller than their strides.
 *
 * Output row o gets products of input row i and kernel row k where i * stride + k = o + pad, so
 * that rows with one remainder r of (o + pad) / stride use kernel rows r, r + stride, ... only: a
 * convolution at stride 1 with those rows, reversed. The weights (layout "remainders") hold one
 * stream for each pair of remainders, with the zero point in its biases. No products with inserted
 * zeros, no copies of the output. */
#include "dpl/conv_transpose2d.h"
#include "dpl/cortex_m/columns.h"
#include "dpl/cortex_m/high_s8.h"

#include "dpl/cortex_m/convolve.h"

/* One axis of one remainder. */
typedef struct {
    stripes outputs;
    int32_t taps;
    int32_t pad; /* before the first input, negative where inputs are skipped */
} remainder_axis;

static remainder_axis axis_of(int32_t r, int32_t stride, int32_t kernel, int32_t pad,
                              int32_t extent) {
    const int32_t first = (r - pad % stride + stride) % stride;
    remainder_axis axis = {{first, stride, 0}, (kernel - r + stride - 1) / stride, 0};
    axis.outputs.count = first < extent ? (extent - first + stride - 1) / stride : 0;
    axis.pad = axis.taps - 1 - (first + pad) / stride;
    return axis;
}

static convolution convolution_of(const dpl_conv_transpose2d_s8_args *a, const uint32_t *weights,
                                  remainder_axis rows, remainder_axis columns) {
    const dpl_window window = {rows.taps, columns.taps, 1, 1, 1, 1, {rows.pad, columns.pad, 0, 0}};
    const convolution v = {&a->input,   &a->output, window,       a->input_zero,  weights,
                           &a->requant, a->scratch, rows.outputs, columns.outputs};
    return v;
}

void dpl_conv_transpose2d_s8__armv7em(const dpl_conv_transpose2d_s8_args *a) {
    const dpl_window *w = &a->window;
    const int32_t pairs = (a->output.channels + 1) / 2;
    const uint32_t *weights = (const uint32_t *)(const void *)a->weights;
    for (int32_t y = 0; y < w->stride_height; y++) {
        const remainder_axis rows =
            axis_of(y, w->stride_height, w->kernel_height, w->pads.top, a->output.height);
        for (int32_t x = 0; x < w->stride_width; x++) {
            const remainder_axis columns =
                axis_of(x, w->stride_width, w->kernel_width, w->pads.left, a->output.width);
            const convolution v = convolution_of(a, weights, rows, columns);
            if (rows.outputs.count > 0 && columns.outputs.count > 0) {
                convolve(&v);
            }
            const int32_t padded = padded_values(&v.window, a->input.channels);
            weights += pairs * piece_words(padded / 4 * WORDS_OF_FOUR);
        }
    }
}

/* ConvTranspose2d, dilation 1, kernels no smaller than their strides: an ordinary convolution for
 * each pair of remainders of the strides. A body, with blocks of its type and `args` before it. The
 * weights hold each remainder's, with the zero point in its biases. */
#include "dpl/neon/bytes.h"
#include "dpl/remainder_axis.h"

static void convolution_of(convolution *v, const args *a, remainder_axis rows,
                           remainder_axis columns) {
    const dpl_window window = {rows.taps, columns.taps, 1, 1, 1, 1, {rows.pad, columns.pad, 0, 0}};
    AS_BYTES(v->input, a->input);
    AS_BYTES(v->output, a->output);
    v->window = window;
    SET_RULE(v, a);
    v->scratch = a->scratch;
    v->rows = rows.outputs;
    v->columns = columns.outputs;
}

/* The convolution of remainders `i` of the strides. */
static void remainder_of(convolution *v, const args *a, int32_t i) {
    const dpl_window *w = &a->window;
    const int32_t y = i / w->stride_width, x = i % w->stride_width;
    convolution_of(v, a,
                   axis_of(y, w->stride_height, w->kernel_height, w->pads.top, a->output.height),
                   axis_of(x, w->stride_width, w->kernel_width, w->pads.left, a->output.width));
}

static int32_t convolutions_of(const args *a) {
    return a->window.stride_height * a->window.stride_width;
}

#define bytes_of_ends(A) 0
#define run_ends(A, BYTES) (void)(BYTES)
#include "dpl/neon/conv_transpose2d_run.h"

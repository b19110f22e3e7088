/* ConvTranspose2d, dilation 1, kernels no smaller than their strides: an ordinary convolution for
 * each remainder of the rows' stride. A body, with blocks of its type and `args` before it.
 *
 * As many pixels of a row as columns stride over are one with the outputs of all: each reads the
 * same inputs, those of which a kernel has no column by zeros. So a cell serves all of them, and
 * what goes into neighbouring pixels lies side by side. Windows begin where pixels do: pads of
 * columns are whole strides, and so is the output. */
#include "dpl/neon/bytes.h"
#include "dpl/remainder_axis.h"

/* Pixels of `across` as one; a group's outputs are spread over them where there are others. */
static void widen_pixels(convolution *v, const args *a, int32_t across) {
    dpl_tensor_s8 *to = &v->output;
    if (a->groups > 1) {
        v->pixel_outputs = to->channels / ELEMENT_BYTES / a->groups;
        v->pixel_bytes = to->pixel_pitch;
    }
    to->channels *= across;
    to->pixel_pitch *= across;
    to->width /= across;
}

/* The convolution of remainder `i` of the rows. */
static void remainder_of(convolution *v, const args *a, int32_t i) {
    const dpl_window *w = &a->window;
    const int32_t across = w->stride_width, taps = (w->kernel_width + across - 1) / across;
    const remainder_axis rows =
        axis_of(i, w->stride_height, w->kernel_height, w->pads.top, a->output.height);
    const stripes columns = {0, 1, a->output.width / across};
    const int32_t left = taps - 1 - w->pads.left / across;
    const dpl_window own = {rows.taps, taps, 1, 1, 1, 1, {rows.pad, left, 0, 0}};
    AS_BYTES(v->input, a->input);
    AS_BYTES(v->output, a->output);
    v->window = own;
    SET_RULE(v, a);
    v->scratch = a->scratch;
    v->rows = rows.outputs;
    v->columns = columns;
    widen_pixels(v, a, across);
}

static int32_t convolutions_of(const args *a) {
    return a->window.stride_height;
}

#include "dpl/neon/conv_transpose2d_run.h"

/* ConvTranspose2d, dilation 1, kernels no smaller than their strides: an ordinary convolution for
 * each pair of remainders of the strides. A body, with blocks of its type and `args` before it.
 *
 * Output row o gets products of input row i and kernel row k where i * stride + k = o + pad: rows
 * with one remainder of (o + pad) / stride use every stride-th kernel row, reversed. The weights
 * hold each remainder's, with the zero point in its biases. */
#include "dpl/neon/bytes.h"

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
    axis.pad = axis.taps - 1 - (first + pad - r) / stride; /* pads may be negative */
    return axis;
}

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

#ifdef DPL_NEON_PLANES_JOINED_H
/* All remainders on the same planes, where these have room; returns whether they have. */
static int run_together(const args *a, int32_t count) {
    convolution all[MOST_JOINED];
    if (count < 2 || count > MOST_JOINED) {
        return 0;
    }
    for (int32_t i = 0; i < count; i++) {
        remainder_of(all + i, a, i);
    }
    if (!join(all, count, a->groups)) {
        return 0;
    }
    convolve_joined(all, count, a->groups, (const void *)a->weights);
    return 1;
}
#else
static inline int run_together(const args *a, int32_t count) {
    (void)a, (void)count;
    return 0;
}
#endif

void KERNEL(const args *a) {
    const int32_t count = a->window.stride_height * a->window.stride_width;
    const int8_t *weights = (const void *)a->weights;
    int32_t most = 0;
    convolution v;
    if (run_together(a, count)) {
        return;
    }
    for (int32_t i = 0; i < count; i++) {
        remainder_of(&v, a, i);
        const int32_t bytes = strip_bytes(&v, v.input.channels / a->groups);
        most = bytes > most ? bytes : most;
    }
    for (int32_t i = 0; i < count; i++) {
        remainder_of(&v, a, i);
        v.core_bytes = most;
        weights = convolve(&v, a->groups, weights);
    }
}

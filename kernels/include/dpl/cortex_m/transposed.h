/* ConvTranspose2d of one group, dilation 1, kernels no smaller than their strides: a body, with
 * columns, outputs and `args` of its type and KERNEL before it.
 *
 * Where the kernel is the stride each remainder is a 1x1: the columns of three input pixels, or of
 * a strip of them, are made once and meet the weights of all remainders. */
#include "dpl/cortex_m/rows.h"

static inline const uint32_t *convolve_remainder(const args *a, const convolution *v) {
    rows_plan p;
    plan_rows(v, 1, &p);
    if (v->rows.count > 0 && v->columns.count > 0) {
        convolve_rows(&p, 1, 1);
    }
    return v->weights + (a->output.channels + 1) / 2 * piece_words(p.job.words);
}

#define CONVOLVE convolve_remainder
#include "dpl/cortex_m/remainders.h"

/* Whether the output is the input's pixels, each a block of the stride that lies in one piece. */
static int whole_blocks(const args *a) {
    const dpl_window *w = &a->window;
    const tensor *out = &a->output;
    const int32_t down = w->stride_height, across = w->stride_width;
    const int pads = w->pads.top != 0 || w->pads.left != 0;
    return w->kernel_height == down && w->kernel_width == across && !pads &&
           out->height == a->input.height * down && out->width == a->input.width * across &&
           out->ring_height % down == 0 && (out->ring_height == 0 || out->first_row % down == 0);
}

static void by_blocks(const args *a) {
    const int32_t down = a->window.stride_height, across = a->window.stride_width;
    const remainder_axis rows = {{0, down, a->input.height}, 1, 0};
    const remainder_axis columns = {{0, across, a->input.width}, 1, 0};
    convolution v;
    rows_plan p;
    convolution_of(&v, a, (const uint32_t *)(const void *)a->weights, rows, columns);
    plan_rows(&v, down * across, &p);
    convolve_rows(&p, down, across);
}

void KERNEL(const args *a) {
    if (whole_blocks(a)) {
        by_blocks(a);
    } else {
        by_remainders(a);
    }
}

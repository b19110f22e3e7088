/* A transposed convolution as ordinary ones (dpl/remainder_axis.h). The weights hold one
 * piece for each pair of remainders, with the zero point in its biases. No products with inserted
 * zeros, no copies of the output. Included behind columns.h or columns_s16.h, with `args`, the
 * kernel's struct. */
#ifndef DPL_CORTEX_M_REMAINDERS_H
#define DPL_CORTEX_M_REMAINDERS_H

#include "dpl/conv_transpose2d.h"
#include "dpl/cortex_m/convolution.h"

/* Into `v` rather than by value, which gcc returns by a call of memcpy. */
static inline void convolution_of(convolution *v, const args *a, const uint32_t *weights,
                                  remainder_axis rows, remainder_axis columns) {
    const dpl_window window = {rows.taps, columns.taps, 1, 1, 1, 1, {rows.pad, columns.pad, 0, 0}};
    v->input = &a->input;
    v->output = &a->output;
    v->window = window;
    v->input_zero = a->input_zero;
    v->weights = weights;
    v->requant = &a->requant;
    v->scratch = a->scratch;
    v->rows = rows.outputs;
    v->columns = columns.outputs;
}

/* Runs the remainders one after the other; CONVOLVE computes one and returns the weights behind its
 * own. */
static inline void by_remainders(const args *a) {
    const dpl_window *w = &a->window;
    const uint32_t *weights = (const uint32_t *)(const void *)a->weights;
    for (int32_t y = 0; y < w->stride_height; y++) {
        const remainder_axis rows =
            axis_of(y, w->stride_height, w->kernel_height, w->pads.top, a->output.height);
        for (int32_t x = 0; x < w->stride_width; x++) {
            const remainder_axis columns =
                axis_of(x, w->stride_width, w->kernel_width, w->pads.left, a->output.width);
            convolution v;
            convolution_of(&v, a, weights, rows, columns);
            weights = CONVOLVE(a, &v);
        }
    }
}

#endif

/* An image as one long row, where its pixels keep their order: columns are made of three neighbours
 * in a row, and fewer at its end take as long as three wherever they lie. */
#ifndef DPL_CORTEX_M_LONG_ROWS_H
#define DPL_CORTEX_M_LONG_ROWS_H

#include "dpl/cortex_m/convolution.h"
#include "dpl/cortex_m/turn.h"

static inline int rows_follow(const tensor *t) {
    return t->ring_height == 0 && t->row_pitch == t->width * t->pixel_pitch;
}

/* Of a 1x1 at stride 1 without padding all pixels, where rows lie next to one another. */
static inline int is_joined(const convolution *v) {
    const dpl_window *w = &v->window;
    const int point = w->kernel_height * w->kernel_width == 1 && w->stride_height == 1;
    const int alike = v->input->width == v->output->width && v->input->height == v->output->height;
    const int same = alike && w->pads.top == 0 && w->pads.left == 0;
    return point && same && w->stride_width == 1 && rows_follow(v->input) && rows_follow(v->output);
}

/* A column, whose windows have the same taps in the same order as if it were a row. */
static inline int is_column(const convolution *v) {
    const int rings = v->input->ring_height || v->output->ring_height;
    return v->output->width == 1 && v->window.kernel_width == 1 && !rings;
}

/* Makes `in` and `out`, copies of the tensors of `v`, those of a row. */
static inline void lengthen_rows(convolution *v, tensor *in, tensor *out) {
    if (is_joined(v)) {
        in->width = out->width = out->width * out->height;
        in->height = out->height = 1;
    } else if (is_column(v)) {
        turn_tensor(in);
        turn_tensor(out);
        turn_window(&v->window);
    }
    v->input = in;
    v->output = out;
    v->rows.count = out->height;
    v->columns.count = out->width;
}

#endif

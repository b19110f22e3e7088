/* Depthwise 3x3 at stride 1 or 2: which loop, and a call of it. */
#ifndef DPL_PULP_DEPTHWISE_RUN_H
#define DPL_PULP_DEPTHWISE_RUN_H

#include "dpl/depthwise_conv2d.h"
#include "dpl/pulp/depthwise.h"
#include "dpl/pulp/planes.h"

typedef void dpl_run_3x3(const dpl_depthwise_run *r);

enum { DPL_BYTES_3X3 = 24 }; /* of a channel's weights */

static inline int32_t dpl_least(int32_t a, int32_t b) {
    return a < b ? a : b;
}

/* Null for what needs the general loop. */
static inline dpl_run_3x3 *dpl_run_of(const dpl_depthwise_conv2d_s8_args *a) {
    const dpl_window *w = &a->window;
    const dpl_requant *q = &a->requant;
    const int bounded = q->low > INT8_MIN || q->high < INT8_MAX;
    if ((q->rule != DPL_I32 && q->rule != DPL_SHIFT) || w->kernel_height != 3 ||
        w->kernel_width != 3 || w->dilation_height != 1 || w->dilation_width != 1 ||
        w->stride_height != w->stride_width || w->stride_width > 2 ||
        a->input.channels != a->output.channels) {
        return 0;
    }
    if (w->stride_width == 1) {
        return bounded ? dpl_depthwise_3x3_bounded : dpl_depthwise_3x3;
    }
    return bounded ? dpl_depthwise_3x3_by_2_bounded : dpl_depthwise_3x3_by_2;
}

/* Rows from y on that follow one another in the output, at most count. */
static inline int32_t dpl_rows_in_a_run(const dpl_tensor_s8 *output, int32_t y, int32_t count) {
    if (output->ring_height == 0) {
        return count;
    }
    return dpl_least(output->ring_height - (output->first_row + y) % output->ring_height, count);
}

/* The outputs of a piece. plane: of its first channel, where its first window begins; r has the
 * planes' pitch and step and the number of channels. */
static inline void dpl_run_rows(const dpl_depthwise_conv2d_s8_args *a, dpl_run_3x3 *run,
                                const dpl_piece *p, const int8_t *plane, dpl_depthwise_run *r) {
    const int32_t stride = a->window.stride_width;
    r->weights = a->weights + p->channel * DPL_BYTES_3X3;
    r->out_row = a->output.row_pitch;
    r->out_pixel = a->output.pixel_pitch;
    r->low = a->requant.low;
    r->high = a->requant.high;
    for (int32_t y = 0, rows; y < p->rows; y += rows) {
        rows = dpl_rows_in_a_run(&a->output, p->y + y, p->rows - y);
        r->plane = plane + y * stride * r->step;
        r->out = dpl_row_s8(&a->output, p->y + y) + p->x * r->out_pixel + p->channel;
        r->rounds = stride == 1 ? rows / 3 : rows >> 1;
        r->left = 4 * (p->columns - 4) + rows - r->rounds * (stride == 1 ? 3 : 2);
        r->plane_back = 4 * stride - ((rows - 1) * stride + 3) * r->step;
        r->out_back = 4 * r->out_pixel - rows * r->out_row;
        run(r);
    }
}

#endif

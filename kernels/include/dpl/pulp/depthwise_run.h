/* Depthwise 3x3 at stride 1 or 2: which loop, and a call of it. */
#ifndef DPL_PULP_DEPTHWISE_RUN_H
#define DPL_PULP_DEPTHWISE_RUN_H

#include "dpl/depthwise_conv2d.h"
#include "dpl/pulp/depthwise.h"
#include "dpl/pulp/planes.h"

typedef void dpl_run_3x3(const dpl_depthwise_run *r);

enum { DPL_BYTES_3X3 = 12 + DPL_TABLE_BYTES }; /* of a channel's weights: taps, then tables */

/* Null for what needs the general loop. */
static inline dpl_run_3x3 *dpl_run_of(const dpl_depthwise_conv2d_s8_args *a) {
    const dpl_window *w = &a->window;
    const dpl_requant *q = &a->requant;
    const int bounded = q->low > INT8_MIN || q->high < INT8_MAX;
    if ((q->rule != DPL_I32 && q->rule != DPL_SHIFT) || w->kernel_height != 3 ||
        w->kernel_width != 3 || w->dilation_height != 1 || w->dilation_width != 1 ||
        w->stride_height != w->stride_width || w->stride_width > 2) {
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

/* What a piece's size says; r has its rows, the planes' step and what dpl_enter_runs sets. */
static inline void dpl_size_run(dpl_depthwise_run *r, int32_t stride, int32_t columns,
                                int32_t pitch, int32_t out_row) {
    const int32_t rows = r->rows;
    const int32_t down = rows * out_row;
    const int32_t read = ((rows - 1) * stride + 3) * r->step;
    r->rounds = (rows + 2) * 21846 >> 16; /* a division, of less than 2^15 */
    r->skipped = 3 * r->rounds - rows;
    r->strips = columns >> 2;
    r->odd = columns & 3;
    r->forward = out_row - 3 * r->out_pixel;
    r->odd_forward = out_row - (r->odd - 1) * r->out_pixel;
    r->plane_back = 4 * stride - read;
    r->out_back = 4 * r->out_pixel - down;
    r->plane_next = pitch - 4 * stride * r->strips - (r->odd ? read : 0);
    r->out_next = 1 - 4 * r->out_pixel * r->strips - (r->odd ? down : 0);
}

/* What all pieces have in common. */
static inline void dpl_enter_runs(const dpl_depthwise_conv2d_s8_args *a, dpl_depthwise_run *r) {
    r->out_pixel = a->output.pixel_pitch;
    r->low = a->requant.low;
    r->high = a->requant.high;
    r->rows = r->strips = r->odd = 0;
}

/* The outputs of a piece, whose rows follow one another. plane: of its first channel, where its
 * first window begins; pitch: from a channel's plane to the next one's; r has the planes' step. */
static inline void dpl_run_piece(const dpl_depthwise_conv2d_s8_args *a, dpl_run_3x3 *run,
                                 const dpl_piece *p, const int8_t *plane, int32_t pitch,
                                 dpl_depthwise_run *r) {
    if (p->rows != r->rows || p->columns != 4 * r->strips + r->odd) {
        r->rows = p->rows;
        dpl_size_run(r, a->window.stride_width, p->columns, pitch, a->output.row_pitch);
    }
    r->plane = plane;
    r->weights = a->weights + p->channel * DPL_BYTES_3X3;
    r->channels = p->channels;
    r->out = dpl_row_s8(&a->output, p->y) + p->x * r->out_pixel + p->channel;
    run(r);
}

#endif

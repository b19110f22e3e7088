/* Dilated windows as windows without dilation: of every so many rows or columns of the input, a
 * phase of the output's after the other. */
#ifndef DPL_PULP_PHASES_H
#define DPL_PULP_PHASES_H

#include "dpl/depthwise_conv2d.h"
#include "dpl/pulp/blocking.h"
#include "dpl/pulp/bytes.h"

/* How many an axis has; 0 where its windows stay as they are. */
static inline int32_t dpl_phases(int32_t dilation, int32_t stride) {
    return dilation > 1 && dilation % stride == 0 ? dilation / stride : 0;
}

typedef struct {
    int32_t *inputs, *in_pitch, *outputs, *out_pitch, *stride, *dilation, *pad;
} dpl_phased;

/* The axis becomes that of one of its phases. */
static inline void dpl_enter_phase(dpl_depthwise_conv2d_s8_args *a, const dpl_phased *x,
                                   int32_t phases, int32_t phase) {
    const int32_t apart = *x->dilation;
    const int32_t first = *x->stride * phase - *x->pad;
    const int32_t before = first < 0 ? (apart - 1 - first) / apart : 0;
    const int32_t begin = first + before * apart;
    a->input.data += begin * *x->in_pitch;
    a->output.data += phase * *x->out_pitch;
    *x->inputs = *x->inputs > begin ? (*x->inputs - begin + apart - 1) / apart : 0;
    *x->outputs = (*x->outputs - phase + phases - 1) / phases;
    *x->in_pitch *= apart;
    *x->out_pitch *= phases;
    *x->pad = before;
    *x->stride = *x->dilation = 1;
}

/* Phase y of the rows, x of the columns. */
static inline void dpl_phase_of(const dpl_depthwise_conv2d_s8_args *a, int32_t y, int32_t x,
                                dpl_depthwise_conv2d_s8_args *to) {
    dpl_copy_words((int8_t *)to, (const int8_t *)a, sizeof *to / 4);
    to->scratch = (int8_t *)a->scratch + DPL_CLUSTER_CORES * DPL_PHASE_ROOM_BYTES;
    dpl_window *w = &to->window;
    const int32_t rows = dpl_phases(w->dilation_height, w->stride_height);
    const int32_t columns = dpl_phases(w->dilation_width, w->stride_width);
    if (rows > 0) {
        const dpl_phased axis = {&to->input.height,     &to->input.row_pitch, &to->output.height,
                                 &to->output.row_pitch, &w->stride_height,    &w->dilation_height,
                                 &w->pads.top};
        dpl_enter_phase(to, &axis, rows, y);
    }
    if (columns > 0) {
        const dpl_phased axis = {
            &to->input.width, &to->input.pixel_pitch, &to->output.width, &to->output.pixel_pitch,
            &w->stride_width, &w->dilation_width,     &w->pads.left};
        dpl_enter_phase(to, &axis, columns, x);
    }
}

#endif

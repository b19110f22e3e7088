/* Channels behind one another instead of beside one another: a core's own copy of four channels of
 * some rows and columns, zero points around them, in which a word holds four neighbours of one
 * channel. Row after row has the row of each of the four channels, in whole words. */
#ifndef DPL_PULP_PLANES_H
#define DPL_PULP_PLANES_H

#include "dpl/cores.h"
#include "dpl/depthwise_conv2d.h"
#include "dpl/pulp/blocking.h"

/* Channels of a copy; outputs whose windows begin in the same word at stride 1. */
enum { DPL_PLANE = DPL_GROUP_CHANNELS };

typedef struct {
    int32_t tall, wide; /* what a window spans */
    int32_t words;      /* what four neighbouring windows of a row span */
    int32_t columns;    /* of outputs, at most */
    int32_t rows;       /* of outputs, at most */
    int32_t pitch;      /* bytes of a channel's row */
    int32_t groups;     /* of four channels, at most */
    int32_t step;       /* bytes of a row of all of them */
    int32_t bytes;      /* of the largest copy of this or any smaller tensor */
} dpl_planes;

/* Outputs that one copy of the input is for: rows y on, columns x on, of some channels. */
typedef struct {
    int32_t channel, channels, y, rows, x, columns;
    int32_t first; /* input channel of the first plane */
} dpl_piece;

static inline int32_t dpl_least(int32_t a, int32_t b) {
    return a < b ? a : b;
}

static inline int32_t dpl_round_up_4(int32_t count) {
    return (count + 3) & ~3;
}

/* A division that the common strides do without. */
static inline int32_t dpl_by_stride(int32_t value, int32_t stride) {
    return stride == 1 ? value : stride == 2 ? value >> 1 : value / stride;
}

static inline int32_t dpl_plane_columns(const dpl_window *w, int32_t width) {
    int32_t most = dpl_by_stride(DPL_PLANE_SPAN_COLUMNS, w->stride_width);
    most = most < DPL_PLANE ? DPL_PLANE : most & ~3;
    return dpl_round_up_4(width) < most ? dpl_round_up_4(width) : most;
}

/* Bytes that so many rows of outputs read. */
static inline int32_t dpl_plane_bytes(const dpl_planes *p, const dpl_window *w, int32_t rows) {
    return DPL_PLANE * p->pitch * ((rows - 1) * w->stride_height + p->tall);
}

static inline int32_t dpl_plane_rows(const dpl_planes *p, const dpl_window *w, int32_t height) {
    int32_t fit = DPL_PLANE_BYTES / (DPL_PLANE * p->pitch) - p->tall;
    fit = fit > 0 ? dpl_by_stride(fit, w->stride_height) : 0;
    fit = fit < 4 ? 4 : (fit + 1) & ~3;
    return fit < height ? fit : height;
}

static inline dpl_planes dpl_planes_of(const dpl_window *w, int32_t height, int32_t width) {
    dpl_planes p = {.tall = (w->kernel_height - 1) * w->dilation_height + 1,
                    .wide = (w->kernel_width - 1) * w->dilation_width + 1};
    p.words = (3 * w->stride_width + p.wide + 3) >> 2;
    p.columns = dpl_plane_columns(w, width);
    p.pitch = (p.columns - DPL_PLANE) * w->stride_width + 4 * p.words;
    p.groups = 1;
    p.step = DPL_PLANE * p.pitch;
    p.rows = dpl_plane_rows(&p, w, height);
    int32_t all = dpl_plane_bytes(&p, w, height), few = dpl_plane_bytes(&p, w, 4);
    int32_t most = few < DPL_PLANE_BYTES ? DPL_PLANE_BYTES : few;
    p.bytes = all < most ? all : most;
    return p;
}

/* The same of 3x3 at stride 1 or 2, in less code: columns are as many as there are, and planes of
 * few bytes stand for several groups of channels, of at most as many as a core of eight has. */
static inline dpl_planes dpl_planes_of_3x3(int32_t stride, const dpl_tensor_s8 *output,
                                           int32_t channels) {
    dpl_planes p = {.tall = 3, .wide = 3, .words = stride + 1, .groups = 1};
    const int32_t most = stride == 1 ? DPL_PLANE_SPAN_COLUMNS : DPL_PLANE_SPAN_COLUMNS / 2;
    p.columns = output->width < most ? output->width : most;
    p.rows = output->height;
    p.pitch = dpl_round_up_4((p.columns - 1) * stride + 3);
    p.bytes = DPL_PLANE * p.pitch * ((p.rows - 1) * stride + 3);
    if (p.bytes > DPL_PLANE_BYTES) {
        const int32_t fit = DPL_PLANE_BYTES / DPL_PLANE / p.pitch - 3;
        p.rows = 1 + (stride == 1 ? fit : fit >> 1);
        p.bytes = DPL_PLANE_BYTES;
    } else if (2 * p.bytes <= DPL_PLANE_BYTES) {
        const int32_t groups = (channels / DPL_PLANE + DPL_CLUSTER_CORES - 1) / DPL_CLUSTER_CORES;
        if (groups > 1) {
            p.groups = dpl_least(groups, DPL_PLANE_BYTES / p.bytes);
            p.bytes *= p.groups;
        }
    }
    p.step = p.groups * DPL_PLANE * p.pitch;
    return p;
}

/* The first of the four input channels that begin with one, or of the last four. */
static inline int32_t dpl_four_from(const dpl_depthwise_conv2d_s8_args *a, int32_t channel) {
    const int32_t last = a->input.channels - DPL_PLANE;
    return last < 0 ? 0 : dpl_least(channel, last);
}

#endif

/* Which taps of a sliding window lie inside the input, and where in memory. */
#ifndef DPL_WINDOW_H
#define DPL_WINDOW_H

#include "dpl/tensor.h"

typedef struct {
    int32_t begin, end;
} dpl_span;

/* Offsets of the rows y, y + dilation, ... of a tensor: an add and a compare for each, where
 * dpl_row_s8 would divide when the tensor is a ring. */
typedef struct {
    int32_t offset, step, wrap;
} dpl_row_walk;

/* The taps of one output pixel that are inside: rows y of the kernel, columns x of it. */
typedef struct {
    dpl_span y, x;
    dpl_row_walk rows; /* input rows of the taps, from y.begin */
    int32_t column;    /* elements from the start of a row to tap x.begin, 0 if there is none */
    int32_t pitch;     /* elements from a tap to the one to its right */
} dpl_taps;

/* Taps t of count with 0 <= origin + t * dilation < extent. Divides at the border only. */
static inline dpl_span dpl_taps_inside(int32_t origin, int32_t count, int32_t dilation,
                                       int32_t extent) {
    dpl_span inside = {0, count};
    if (origin < 0) {
        inside.begin = (dilation - 1 - origin) / dilation;
    }
    if (origin + (count - 1) * dilation >= extent) {
        inside.end = origin < extent ? (extent - origin + dilation - 1) / dilation : 0;
    }
    if (inside.begin >= inside.end) {
        inside.begin = inside.end = 0;
    }
    return inside;
}

static inline dpl_row_walk dpl_walk_rows(const dpl_tensor_s8 *t, int32_t y, int32_t dilation) {
    int32_t first = t->ring_height > 0 ? (t->first_row + y) % t->ring_height : y;
    int32_t wrap = t->ring_height > 0 ? t->ring_height * t->row_pitch : INT32_MAX;
    dpl_row_walk walk = {first * t->row_pitch, dilation * t->row_pitch, wrap};
    return walk;
}

static inline void dpl_next_row(dpl_row_walk *walk) {
    walk->offset += walk->step;
    if (walk->offset >= walk->wrap) {
        walk->offset -= walk->wrap;
    }
}

/* The vertical part of the taps: the same for every pixel of output row y. */
static inline dpl_taps dpl_taps_of_row(const dpl_tensor_s8 *input, const dpl_window *w, int32_t y) {
    int32_t origin = y * w->stride_height - w->pads.top;
    dpl_taps taps = {{0, 0}, {0, 0}, {0, 0, 0}, 0, w->dilation_width * input->pixel_pitch};
    taps.y = dpl_taps_inside(origin, w->kernel_height, w->dilation_height, input->height);
    if (taps.y.begin < taps.y.end) {
        int32_t first = origin + taps.y.begin * w->dilation_height;
        taps.rows = dpl_walk_rows(input, first, w->dilation_height);
    }
    return taps;
}

/* The horizontal part, for output column x. */
static inline void dpl_taps_of_column(dpl_taps *taps, const dpl_tensor_s8 *input,
                                      const dpl_window *w, int32_t x) {
    int32_t origin = x * w->stride_width - w->pads.left;
    taps->x = dpl_taps_inside(origin, w->kernel_width, w->dilation_width, input->width);
    int32_t first = origin + taps->x.begin * w->dilation_width;
    taps->column = taps->x.begin < taps->x.end ? first * input->pixel_pitch : 0;
}

static inline int32_t dpl_taps_count(const dpl_taps *taps) {
    return (taps->y.end - taps->y.begin) * (taps->x.end - taps->x.begin);
}

static inline int dpl_taps_all(const dpl_taps *taps, const dpl_window *w) {
    return dpl_taps_count(taps) == w->kernel_height * w->kernel_width;
}

#endif

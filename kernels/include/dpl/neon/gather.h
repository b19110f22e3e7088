/* Where the windows of a strip of pixels lie. Included behind the blocks of a type, block_s8.h or
 * block_s16.h.
 *
 * Windows are copied one behind the other, unless a pixel is its own window. Those that no side
 * cuts are copied kernel row by kernel row, all pixels of a row of the output in one loop, so that
 * a run of a window takes its loads and stores and no more. A strip of fewer pixels than a block
 * repeats the last one. */
#ifndef DPL_NEON_GATHER_H
#define DPL_NEON_GATHER_H

#include "dpl/neon/copies.h"
#include "dpl/neon/stripes.h"
#include "dpl/window.h"

typedef struct {
    dpl_tensor_s8 input, output; /* of a group, channels and pitches in bytes */
    dpl_window window;
    int32_t input_zero;
    output_rule requant; /* of floats the bounds */
    void *scratch;
    stripes rows, columns;
    packed_weights weights;
    dpl_share pixels, pieces; /* of this core */
    int32_t core_bytes;       /* of the windows of one: equal for all that a call convolves, since
                               * cores do not wait for each other in between */
    int8_t *copies;           /* its windows */
    int32_t strip;            /* pixels of one */
} convolution;

/* Where the windows of a strip begin, and its pixels of the output. */
typedef struct {
    const int8_t *from[DPL_WINDOW_STRIP_PIXELS + PIXELS];
    int8_t *to[DPL_WINDOW_STRIP_PIXELS];
    int32_t count;
} strip_pixels;

/* Pixels of the strip, from `first` on, that are in a row of the output, from column `x` on. */
typedef struct {
    int32_t first, x, count;
} row_pixels;

/* A pixel that is its own window, as a block may read it. */
static inline int in_place(const convolution *v) {
    const dpl_window *w = &v->window;
    const dpl_pads *pads = &w->pads;
    return w->kernel_height == 1 && w->kernel_width == 1 && WHOLE_WINDOW(v->input.channels) &&
           (pads->top | pads->left | pads->bottom | pads->right) == 0;
}

static inline int32_t window_bytes(const convolution *v) {
    return v->weights.steps * STEP_BYTES;
}

static inline int8_t *copy_at(const convolution *v, int32_t pixel) {
    return v->copies + pixel * window_bytes(v);
}

/* The row's next `count` pixels, which it has. */
static inline row_pixels take(row_pixels *row, int32_t count) {
    const int32_t most = count < row->count ? count : row->count;
    const row_pixels taken = {row->first, row->x, most < 0 ? 0 : most};
    row->first += taken.count;
    row->x += taken.count;
    row->count -= taken.count;
    return taken;
}

/* Windows that a side may cut. */
static inline void copy_cut(const convolution *v, dpl_taps *taps, row_pixels some) {
    for (int32_t i = 0; i < some.count; i++) {
        dpl_taps_of_column(taps, &v->input, &v->window, some.x + i);
        copy_window(copy_at(v, some.first + i), &v->input, &v->window, taps, (int8_t)v->input_zero);
    }
}

/* Windows that neither the left nor the right side cuts. */
static inline void copy_whole(const convolution *v, const dpl_taps *taps, row_pixels some) {
    const dpl_window *w = &v->window;
    const int32_t bytes = window_bytes(v), run = w->kernel_width * v->input.channels;
    const int32_t step = w->stride_width * v->input.pixel_pitch;
    const int64_t column = (int64_t)some.x * step - (int64_t)w->pads.left * v->input.pixel_pitch;
    int8_t *to = copy_at(v, some.first);
    dpl_row_walk rows = taps->rows;
    for (int32_t y = 0; y < w->kernel_height; y++, to += run) {
        const strided_run first = {to, v->input.data + rows.offset + column, bytes, step};
        if (y < taps->y.begin || y >= taps->y.end) {
            fill_runs(first, (int8_t)v->input_zero, run, some.count);
            continue;
        }
        copy_row_runs(first, taps->pitch, v->input.channels, w->kernel_width, some.count);
        dpl_next_row(&rows);
    }
}

/* Pixels from column `x` on whose windows end inside the input. */
static inline int32_t count_inside(const convolution *v, int32_t x) {
    const dpl_window *w = &v->window;
    const int32_t span = (w->kernel_width - 1) * w->dilation_width;
    const int32_t room = v->input.width - 1 - span + w->pads.left - x * w->stride_width;
    return room < 0 ? 0 : room / w->stride_width + 1;
}

/* Pixels from column `x` on whose windows begin before the input. */
static inline int32_t count_before(const convolution *v, int32_t x) {
    const dpl_window *w = &v->window;
    const int32_t before = w->pads.left - x * w->stride_width;
    return before > 0 ? (before + w->stride_width - 1) / w->stride_width : 0;
}

static inline void copy_row(const convolution *v, dpl_taps *taps, row_pixels row,
                            const int8_t **from) {
    for (int32_t i = 0; i < row.count; i++) {
        from[i] = copy_at(v, row.first + i);
    }
    copy_cut(v, taps, take(&row, count_before(v, row.x)));
    copy_whole(v, taps, take(&row, count_inside(v, row.x)));
    copy_cut(v, taps, row);
}

/* A transposed convolution may have outputs beyond all inputs: those are copied. */
static inline void point_row(const convolution *v, dpl_taps *taps, row_pixels row,
                             const int8_t **from) {
    const int32_t step = v->window.stride_width * v->input.pixel_pitch;
    const int32_t inside = taps->y.begin < taps->y.end ? count_inside(v, row.x) : 0;
    const row_pixels there = take(&row, inside);
    const int8_t *at = v->input.data + taps->rows.offset + there.x * step;
    for (int32_t i = 0; i < there.count; i++, at += step) {
        from[i] = at;
    }
    if (row.count > 0) {
        copy_row(v, taps, row, from + there.count);
    }
}

static inline void gather_row(const convolution *v, int32_t y, row_pixels row, strip_pixels *p) {
    const int32_t step = v->columns.step * v->output.pixel_pitch;
    int8_t *to = dpl_row_s8(&v->output, v->rows.first + y * v->rows.step) +
                 v->columns.first * v->output.pixel_pitch + row.x * step;
    dpl_taps taps = dpl_taps_of_row(&v->input, &v->window, y);
    for (int32_t i = 0; i < row.count; i++, to += step) {
        p->to[row.first + i] = to;
    }
    (in_place(v) ? point_row : copy_row)(v, &taps, row, p->from + row.first);
}

/* `count` pixels from `first` on. */
static inline void gather_strip(const convolution *v, int32_t first, int32_t count,
                                strip_pixels *p) {
    const int32_t width = v->columns.count;
    int32_t y = first / width;
    row_pixels left = {0, first % width, count};
    p->count = count;
    for (; left.count > 0; left.x = 0, y++) {
        gather_row(v, y, take(&left, width - left.x), p);
    }
    for (int32_t i = count; i % PIXELS != 0; i++) {
        p->from[i] = p->from[count - 1];
    }
}

#endif

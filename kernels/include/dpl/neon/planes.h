/* Convolution with few channels a group: pixels of the output in lanes.
 *
 * Of each group the input becomes planes of int16, a channel each, and one for each remainder of
 * the strides. Rows of a plane follow each other with no more cells between them than padding
 * takes: what a window reads behind a row's end is the padding before the next. So a value of the
 * windows of eight pixels is a vector of cells wherever it is, and a lane is a pixel whatever
 * channels there are. Positions between rows are computed, too, and stored where the
 * pixel before them goes, before that one: blocks and lanes go from the last to the first.
 *
 * Groups take a strip of rows of the output in turn, whose planes stay in the first cache; cores
 * share groups of strips. */
#ifndef DPL_NEON_PLANES_H
#define DPL_NEON_PLANES_H

#include "dpl/neon/planes_fill.h"
#include "dpl/neon/planes_run.h"
#include "dpl/neon/planes_shape.h"

/* Kernel rows of taps of channels, as the weights have them. */
static inline void list_values(const convolution *v) {
    uint16_t *at = v->at;
    for (int32_t y = 0; y < v->tall.taps; y++) {
        const int32_t row = y % v->tall.remainders * v->wide.remainders;
        for (int32_t x = 0; x < v->wide.taps; x++) {
            const int32_t plane = (row + x % v->wide.remainders) * v->plane;
            const int32_t cell = plane_place(&v->tall, y) * v->pitch + plane_place(&v->wide, x);
            for (int32_t c = 0; c < v->depth; c++) {
                *at++ = (uint16_t)(2 * (c * v->cells + plane + cell));
            }
        }
    }
    at[0] = at[1] = 0;
}

/* Blocks of eight between positions `first` and `end`, which are in a row, are in a line. */
static inline void mark_lines(int32_t *to, int32_t first, int32_t end) {
    for (int32_t i = in_whole(first, PIXELS); i + PIXELS <= end; i += PIXELS) {
        to[i + 1] = IN_LINE;
    }
}

/* A position behind a row goes where the row's last pixel does. */
static inline void list_outputs(const convolution *v, int32_t first, int32_t rows) {
    const int32_t step = v->columns.step * v->output.pixel_pitch;
    int32_t *to = v->to, behind = v->pitch - v->columns.count;
    for (int32_t y = first; y < first + rows; y++) {
        const int8_t *row = dpl_row_s8(&v->output, v->rows.first + y * v->rows.step);
        int32_t offset = (int32_t)(row - v->output.data) + v->columns.first * v->output.pixel_pitch;
        for (int32_t x = 0; x < v->columns.count; x++, offset += step) {
            *to++ = offset;
        }
        for (int32_t x = 0; x < behind; x++) {
            *to++ = offset - step;
        }
    }
    for (; (to - v->to) % PIXELS != 0; to++) {
        *to = to[-1];
    }
    for (int32_t at = 0; at < rows * v->pitch; at += v->pitch) {
        mark_lines(v->to, at, at + v->columns.count);
    }
}

/* What a group has of rows from input row `y` on, of the planes of column remainder `x`: `to` is
 * place 0. */
static inline void fill_rows(const convolution *v, int32_t y, int32_t x, int16_t *to, int32_t rows,
                             int32_t own) {
    const plane_axis *tall = &v->tall, *wide = &v->wide;
    const int32_t before = wide->first < 0 ? -wide->first : 0;
    const int32_t places = places_before(wide, x, v->input.width);
    const int32_t column = plane_begin(wide, x) + before * wide->stride;
    plane_row row = {.step = wide->stride * v->input.pixel_pitch,
                     .apart = v->cells,
                     .count = (places < v->pitch ? places : v->pitch) - before};
    for (; rows > 0 && row.count > 0; rows--, y += tall->stride, to += v->pitch) {
        if (y >= 0 && y < v->input.height) {
            row.from = dpl_row_s8(&v->input, y) + column * v->input.pixel_pitch + own;
            row.to = to + before;
            fill_row(&row, v->depth, (v->input.channels - own) / ELEMENT_BYTES);
        }
    }
}

/* For `rows` rows of the output from `first` on; `own`: where the group's channels begin. */
static inline void fill_planes(const convolution *v, int32_t first, int32_t rows, int32_t own) {
    const plane_axis *tall = &v->tall;
    int16_t *to = v->planes;
    for (int32_t i = 0; i < tall->remainders; i++) {
        const int32_t y = plane_begin(tall, i) + first * tall->stride;
        for (int32_t x = 0; x < v->wide.remainders; x++, to += v->plane) {
            fill_rows(v, y, x, to, rows + tall->span, own);
        }
    }
}

static inline void lay_out(convolution *v) {
    int8_t *own = (int8_t *)v->scratch + dpl_core_id() * v->core_bytes;
    v->at = (uint16_t *)(void *)own;
    v->to = (int32_t *)(void *)(own + at_bytes(v));
    v->planes = (int16_t *)(void *)(own + at_bytes(v) + to_bytes(v));
}

/* Where a strip's outputs lie, and padding, which is alike in all groups. */
static inline void begin_strip(const convolution *v, int32_t first, int32_t rows) {
    list_outputs(v, first, rows);
    pad_cells(v->planes, (int16_t)v->input_zero, v->depth * v->cells + cells_behind(v));
}

/* All groups of whole tensors in `v`; returns what is behind their weights. */
static inline const int8_t *convolve(convolution *v, int32_t groups, const int8_t *weights) {
    shape(v, v->input.channels / groups, groups);
    v->outputs = v->output.channels / ELEMENT_BYTES / groups;
    lay_out(v);
    const int32_t bytes = group_bytes(v), all = v->columns.count > 0 ? v->rows.count : 0;
    const dpl_share share = dpl_core_share((all + v->strip - 1) / v->strip * groups);
    int32_t listed = -1;
    if (share.begin < share.end) {
        list_values(v);
    }
    for (int32_t i = share.begin; i < share.end; i++) {
        const int32_t group = i % groups, first = i / groups * v->strip, left = all - first;
        const int32_t rows = left < v->strip ? left : v->strip;
        if (first != listed) {
            begin_strip(v, first, rows);
            listed = first;
        }
        fill_planes(v, first, rows, group * v->depth * ELEMENT_BYTES);
        run_group(v, weights + group * bytes, group, rows);
    }
    return weights + groups * bytes;
}

#endif

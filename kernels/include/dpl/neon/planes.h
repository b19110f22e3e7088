/* Convolution with few channels a group: pixels of the output in lanes.
 *
 * Of each group the input becomes planes of int16, a channel each, and one for
 * each remainder of the strides. Rows of a plane follow each other with no more
 * cells between them than padding takes: what a window reads behind a row's end
 * is the padding before the next. So a value of the windows of eight pixels is
 * a vector of cells wherever it is, and a lane is a pixel whatever channels
 * there are. Positions between rows are computed, too, and stored where the
 * pixel before them goes, before that one: blocks and lanes go from the last to
 * the first.
 *
 * Groups take a strip of rows of the output in turn, whose planes stay in the
 * first cache; those of few channels several together, so that planes are made
 * of eight channels at a time. Cores share groups of strips. */
#ifndef DPL_NEON_PLANES_H
#define DPL_NEON_PLANES_H

#include "dpl/neon/planes_fill.h"
#include "dpl/neon/planes_lists.h"
#include "dpl/neon/planes_run.h"
#include "dpl/neon/planes_shape.h"

/* Whether sixteen positions are summed at once. */
#define IS_FEW(V) ((V)->outputs <= DPL_PLANE_FEW_OUTPUTS)

static inline int32_t cell_bytes(const convolution *v) {
    (void)v;
    return 2;
}

/* Sets the rows of a strip, and how many groups have planes together, since few
 * channels take as long as eight to fill: as many as leave a strip three
 * quarters of the rows that it has of one. */
static inline void set_strip(convolution *v, int32_t groups) {
    const int32_t most = v->depth < DPL_PLANES_TOGETHER ? DPL_PLANES_TOGETHER / v->depth : 1;
    v->together = 1;
    const int32_t rows = strip_of(v, groups);
    v->together = most < groups ? most : groups;
    while (v->together > 1 && 4 * plane_bytes(v, rows) > 5 * DPL_PLANES_BYTES) {
        v->together--;
    }
    const int32_t batches = batches_of(v, groups);
    v->together = (groups + batches - 1) / batches;
    v->strip = strip_of(v, groups);
    if (plane_bytes(v, v->strip) > DPL_PLANES_BYTES) {
        v->together = 1;
        v->strip = rows;
    }
}

/* Cells of all planes. */
static inline int32_t all_cells(const convolution *v) {
    return v->together * v->depth * v->cells + cells_behind(v);
}

/* About what a block of positions takes, in cycles, and a plane. */
static inline int64_t block_cycles(const convolution *v) {
    return (int64_t)v->outputs * (v->values * 5 / 2 + 16);
}

static inline int64_t fill_cycles(const convolution *v) {
    return (int64_t)v->depth * 2 * v->input.height * v->input.width;
}

/* Of few outputs a last block of eight takes as long as one of sixteen, whose taps slide. */
static inline int32_t row_alone(const convolution *v) {
    return in_whole(v->columns.count, (v->few ? 2 : 1) * PIXELS);
}

/* About what planes of their shape take, of one group, strips filled again where windows reach
 * beyond them, and blocks of their positions. */
static inline int64_t cycles_of_shape(convolution *v) {
    v->together = 1;
    v->pitch = pitch_of(v);
    set_alone(v, row_alone(v));
    const int32_t rows = v->rows.count, strip = strip_of(v, 1), strips = (rows + strip - 1) / strip;
    const int32_t each = v->tall.remainders * v->wide.remainders * v->pitch;
    const int64_t cells = (int64_t)(rows + strips * v->tall.span) * each * v->depth;
    return blocks_of(v) * block_cycles(v) + 2 * cells;
}

/* Cycles that planes of its own for each column of a window save, where they have room: there are
 * no positions between rows, but more planes. */
static inline int64_t apart_saves(convolution *v) {
    const plane_axis shared = v->wide;
    if (v->few || v->wide.span == 0 || v->columns.count <= 0) {
        return 0;
    }
    const int64_t cycles = cycles_of_shape(v);
    take_apart(&v->wide);
    const int64_t apart = cycles_of_shape(v);
    const int fits = plane_bytes(v, 1) <= DPL_PLANES_BYTES;
    v->wide = shared;
    v->pitch = pitch_of(v);
    return fits ? cycles - apart : 0;
}

static inline void take_columns_apart(convolution *v) {
    if (apart_saves(v) > 0) {
        take_apart(&v->wide);
        v->pitch = pitch_of(v);
    }
}

static inline void set_values(convolution *v) {
    trim_window(v);
    narrow_window(v);
}

/* Of convolutions that share planes. */
static inline void turn_narrow(convolution *v) {
    if (turns(v)) {
        turn(v);
        set_axes(v);
    }
}

/* Short rows, whose windows lie in a row, as columns: those have no padding between them, and
 * longer ones are filled in less. Again for one that is turned it changes nothing. */
static inline void turn_short(convolution *v) {
    const dpl_window *w = &v->window;
    const int32_t rings = v->input.ring_height | v->output.ring_height;
    const int32_t positions = v->rows.count * v->pitch, short_row = 2 * PIXELS;
    const int in_row = w->kernel_height == 1 && w->kernel_width > 1 && w->dilation_width == 1;
    if (!in_row || rings != 0 || v->columns.count >= short_row || v->rows.count < short_row) {
        return;
    }
    turn_axes(v);
    if (v->rows.count * v->pitch > positions || plane_bytes(v, 1) > DPL_PLANES_BYTES) {
        turn_axes(v);
    }
}

static inline void shape(convolution *v, int32_t depth_bytes, int32_t groups) {
    const dpl_window *w = &v->window;
    v->depth = depth_bytes / ELEMENT_BYTES;
    v->stored = v->stored > 0 ? v->stored : w->kernel_height * w->kernel_width * v->depth;
    v->outputs = v->output.channels / ELEMENT_BYTES / groups;
    v->few = IS_FEW(v);
    set_values(v);
    set_axes(v);
    v->together = 1;
    if (turns(v)) {
        turn(v);
        set_axes(v);
        if (plane_bytes(v, 1) > DPL_PLANES_BYTES) {
            turn(v);
            set_axes(v);
        }
    } else {
        turn_short(v);
    }
    take_columns_apart(v);
    set_alone(v, IS_CUT(v) ? v->pitch : row_alone(v));
    set_strip(v, groups);
    v->plane = in_whole((v->strip + v->tall.span) * v->pitch, FOUR);
    v->cells = v->tall.remainders * v->wide.remainders * v->plane;
}

/* Of lists and planes. */
static inline int32_t cells_bytes(const convolution *v) {
    return in_whole(at_bytes(v) + to_bytes(v) + 2 * all_cells(v), 16);
}

/* Of a core, for groups of so many bytes of channels. */
static inline int32_t strip_bytes(convolution *v, int32_t channels) {
    shape(v, channels, v->input.channels / channels);
    return cells_bytes(v) + kept_bytes(v);
}

/* What channels from `own` on have of rows from input row `y` on, of the planes
 * of column remainder `x`: `to` is place 0. */
static inline void fill_rows(const convolution *v, int32_t y, int32_t x, int16_t *to, int32_t rows,
                             dpl_share own) {
    const plane_axis *tall = &v->tall, *wide = &v->wide;
    const int32_t before = places_padded(wide, x);
    const int32_t places = places_before(wide, x, v->input.width);
    const int32_t column = plane_begin(wide, x) + before * wide->stride;
    plane_row row = {.step = wide->stride * v->input.pixel_pitch,
                     .apart = v->cells,
                     .count = (places < v->pitch ? places : v->pitch) - before};
    if (row.count <= 0) {
        return;
    }
    for (int32_t some; rows > 0; rows -= some, y += some * tall->stride, to += some * v->pitch) {
        some = 1;
        if (y >= 0 && y < v->input.height) {
            some = rows_in_line(v, &row, y, rows);
            plane_row all = row;
            all.count *= some;
            all.from = dpl_row_s8(&v->input, y) + column * v->input.pixel_pitch +
                       own.begin * ELEMENT_BYTES;
            all.to = to + before;
            fill_row(&all, own.end - own.begin, v->input.channels / ELEMENT_BYTES - own.begin);
        }
    }
}

/* For `rows` rows of the output from `first` on, of some groups. */
static inline void fill_planes(const convolution *v, int32_t first, int32_t rows,
                               dpl_share groups) {
    const dpl_share own = {groups.begin * v->depth, groups.end * v->depth};
    const plane_axis *tall = &v->tall;
    int16_t *to = v->planes;
    for (int32_t i = 0; i < tall->remainders; i++) {
        const int32_t y = plane_begin(tall, i) + first * tall->stride;
        for (int32_t x = 0; x < v->wide.remainders; x++, to += v->plane) {
            fill_rows(v, y, x, to, rows + tall->span, own);
        }
    }
}

/* The groups of batch `i`. */
static inline dpl_share batch_of(const convolution *v, int32_t i, int32_t groups) {
    const int32_t first = i * v->together, left = groups - first;
    const dpl_share batch = {first, first + (left < v->together ? left : v->together)};
    return batch;
}

/* A core's part of the batches of all strips. */
static inline dpl_share share_of(const convolution *v, int32_t strips, int32_t groups) {
    return dpl_core_share(strips * batches_of(v, groups));
}

static inline int32_t weight_bytes(const convolution *v, int32_t groups) {
    return groups * group_bytes(v);
}

#include "dpl/neon/planes_batches.h"

/* All groups of whole tensors in `v`; returns what is behind their weights. */
static inline const int8_t *convolve(convolution *v, int32_t groups, const int8_t *weights) {
    shape(v, v->input.channels / groups, groups);
    v->kept =
        (int16_t *)(void *)((int8_t *)v->scratch + dpl_core_id() * v->core_bytes + cells_bytes(v));
    return convolve_batches(v, groups, weights);
}

#endif

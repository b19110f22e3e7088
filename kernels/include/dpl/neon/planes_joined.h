/* The convolutions that a transposed one consists of, on the same planes: all
 * read the same input, a cell before or behind each other's, so that a strip of
 * a group is filled once for all of them. Their outputs lie alike, so that one
 * list of them does, too. Included behind planes.h or groups.h.
 */
#ifndef DPL_NEON_PLANES_JOINED_H
#define DPL_NEON_PLANES_JOINED_H

#include "dpl/neon/planes_lists.h"
#include "dpl/neon/planes_shape.h"

#define MOST_JOINED DPL_JOINED_REMAINDERS

static inline int32_t least_of(int32_t a, int32_t b) {
    return a < b ? a : b;
}

/* From where the first window of all begins to where the last one ends. */
static inline void widen(plane_axis *axis, const plane_axis *by) {
    const int32_t end = axis->first + axis->span, other = by->first + by->span;
    axis->first = least_of(axis->first, by->first);
    axis->span = (end > other ? end : other) - axis->first;
}

static inline void begin_shape(convolution *v, int32_t groups) {
    const dpl_window *w = &v->window;
    v->depth = v->input.channels / ELEMENT_BYTES / groups;
    v->outputs = v->output.channels / ELEMENT_BYTES / groups;
    v->few = IS_FEW(v);
    v->stored = w->kernel_height * w->kernel_width * v->depth;
    set_values(v);
    set_axes(v);
    turn_narrow(v);
    set_alone(v, row_alone(v));
}

/* Whether outputs lie alike: as many rows and columns, all turned or none; weights of a part of
 * each kernel row have no room. */
static inline int alike(const convolution *v, const convolution *first) {
    return v->rows.count == first->rows.count && v->columns.count == first->columns.count &&
           v->columns.count > 0 && v->output.ring_height == 0 && v->row_values == 0;
}

static inline void set_planes(convolution *v, const plane_axis *tall, const plane_axis *wide) {
    v->tall.first = tall->first, v->tall.span = tall->span;
    v->wide.first = wide->first, v->wide.span = wide->span;
    v->pitch = pitch_of(v);
    set_alone(v, row_alone(v));
}

static inline int begin_shapes(convolution *all, int32_t count, int32_t groups) {
    int as_first = 1;
    for (convolution *v = all; v < all + count; v++) {
        begin_shape(v, groups);
        as_first &= alike(v, all);
    }
    return as_first;
}

/* Gives all the same planes; returns whether these have room and save more than
 * what positions between rows take, of which there may be more, and than planes
 * for each column would. */
static inline int join(convolution *all, int32_t count, int32_t groups) {
    if (!begin_shapes(all, count, groups)) {
        return 0;
    }
    plane_axis tall = all->tall, wide = all->wide;
    int64_t saved = 0;
    for (const convolution *v = all; v < all + count; v++) {
        widen(&tall, &v->tall);
        widen(&wide, &v->wide);
    }
    for (convolution *v = all; v < all + count; v++) {
        const int32_t blocks = blocks_of(v);
        const int64_t apart = apart_saves(v);
        set_planes(v, &tall, &wide);
        saved -= apart > 0 ? apart : 0;
        saved += (v == all ? 0 : fill_cycles(v)) - (blocks_of(v) - blocks) * block_cycles(v);
    }
    set_strip(all, groups);
    for (convolution *v = all; v < all + count; v++) {
        all->padded |= v->padded;
        v->together = all->together;
        v->strip = all->strip;
        v->plane = v->cells = in_whole((v->strip + tall.span) * v->pitch, FOUR);
    }
    return saved > 0 && plane_bytes(all, 1) <= DPL_PLANES_BYTES;
}

/* Every convolution has its own list of values. */
static inline int32_t all_lists(const convolution *all, int32_t count) {
    int32_t lists = 0;
    for (int32_t i = 0; i < count; i++) {
        lists += at_bytes(all + i);
    }
    return lists;
}

/* Of a core. */
static inline int32_t joined_bytes(const convolution *all, int32_t count) {
    return in_whole(all_lists(all, count) + to_bytes(all) + 2 * all_cells(all), 16);
}

static inline void lay_out_joined(convolution *all, int32_t count) {
    int8_t *own = (int8_t *)all->scratch + dpl_core_id() * all->core_bytes;
    int8_t *const to = own + all_lists(all, count);
    for (convolution *v = all; v < all + count; v++) {
        v->at = (uint16_t *)(void *)own;
        v->to = (int32_t *)(void *)to;
        v->planes = (int16_t *)(void *)(to + to_bytes(all));
        v->output.data += (v->rows.first - all->rows.first) * v->output.row_pitch +
                          (v->columns.first - all->columns.first) * v->output.pixel_pitch;
        own += at_bytes(v);
    }
}

/* The strip of groups of all convolutions, whose planes are there. */
static inline void run_joined(convolution *all, int32_t count, const int8_t *weights,
                              int32_t groups, dpl_share batch, int32_t rows) {
    for (convolution *v = all; v < all + count; v++) {
        run_groups(v, weights, batch, rows);
        weights += weight_bytes(v, groups);
    }
}

/* `count` that are joined. */
static inline void convolve_joined(convolution *all, int32_t count, int32_t groups,
                                   const int8_t *weights) {
    const int32_t whole = all->rows.count, strip = all->strip, batches = batches_of(all, groups);
    const dpl_share share = share_of(all, (whole + strip - 1) / strip, groups);
    int32_t listed = -1;
    lay_out_joined(all, count);
    for (int32_t i = 0; i < count && share.begin < share.end; i++) {
        list_values(all + i, cell_bytes(all + i));
    }
    for (int32_t i = share.begin; i < share.end; i++) {
        const int32_t first = i / batches * strip;
        const dpl_share batch = batch_of(all, i % batches, groups);
        const int32_t rows = least_of(whole - first, strip);
        if (first != listed) {
            begin_strip(all, first, rows, listed >= 0);
            follow_list(all, count, listed, first);
            listed = first;
        }
        fill_planes(all, first, rows, batch);
        run_joined(all, count, weights, groups, batch, rows);
    }
}

#endif

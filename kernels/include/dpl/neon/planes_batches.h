/* A core's batches of groups, strip after strip: a body. Behind what makes planes of a batch
 * (`fill_planes`) and its outputs (`run_groups`), and shares batches among cores (`batch_of`,
 * `share_of`, `weight_bytes`). */
#ifndef DPL_NEON_PLANES_BATCHES_H
#define DPL_NEON_PLANES_BATCHES_H

#include "dpl/neon/planes_lists.h"
#include "dpl/neon/planes_shape.h"

static inline void lay_out(convolution *v) {
    int8_t *own = (int8_t *)v->scratch + dpl_core_id() * v->core_bytes;
    v->at = (uint16_t *)(void *)own;
    v->to = (int32_t *)(void *)(own + at_bytes(v));
    v->planes = (int16_t *)(void *)(own + at_bytes(v) + to_bytes(v));
}

/* The rows of a plane from `at` on that lie behind the input, of remainder `i` of rows: `end` cells
 * are read. */
static inline void pad_plane_behind(const convolution *v, int16_t *at, int32_t i, int32_t first,
                                    int32_t end) {
    const plane_axis *tall = &v->tall;
    const int32_t y = plane_begin(tall, i) + first * tall->stride, left = v->input.height - y;
    const int32_t there = left > 0 ? (left + tall->stride - 1) / tall->stride * v->pitch : 0;
    const int32_t values = cell_bytes(v) / 2;
    if (there < end) {
        pad_cells(at + there * values, (int16_t)v->input_zero, (end - there) * values);
    }
}

/* Of all planes, for `rows` rows of the output. */
static inline void pad_behind(const convolution *v, int32_t first, int32_t rows) {
    const int32_t end = (rows + v->tall.span) * v->pitch;
    const int32_t values = cell_bytes(v) / 2, each = v->tall.remainders * v->wide.remainders;
    const int32_t planes = v->together * v->depth / values * each;
    for (int32_t k = 0; k < planes; k++) {
        const int32_t i = k % each / v->wide.remainders;
        pad_plane_behind(v, v->planes + k * v->plane * values, i, first, end);
    }
}

/* Where a strip's outputs lie, and padding, which is alike in all groups: cells that no window
 * meets may have anything. Behind another strip of this core's, `again`, outputs lie as before, if
 * no ring holds them, and only rows behind the input may have held others: what is beside and above
 * it was never filled. */
static inline void begin_strip(const convolution *v, int32_t first, int32_t rows, int again) {
    if (again && v->output.ring_height == 0) {
        end_list(v, rows);
    } else {
        list_outputs(v, first, rows);
    }
    if (v->padded && again) {
        pad_behind(v, first, rows);
    } else if (v->padded) {
        pad_cells(v->planes, (int16_t)v->input_zero, all_cells(v));
    }
}

/* Outputs of `count` convolutions by the list of the strip that begins with row `listed`, if any.
 */
static inline void follow_list(convolution *all, int32_t count, int32_t listed, int32_t first) {
    for (convolution *v = all; v < all + count && listed >= 0; v++) {
        move_outputs(v, v->output.ring_height == 0 ? first - listed : 0);
    }
}

/* All groups, whose shape is there; returns what is behind their weights. */
static inline const int8_t *convolve_batches(convolution *v, int32_t groups,
                                             const int8_t *weights) {
    lay_out(v);
    const int32_t batches = batches_of(v, groups), all = v->columns.count > 0 ? v->rows.count : 0;
    const dpl_share share = share_of(v, (all + v->strip - 1) / v->strip, groups);
    int32_t listed = -1;
    if (share.begin < share.end) {
        list_values(v, cell_bytes(v));
    }
    for (int32_t i = share.begin; i < share.end; i++) {
        const int32_t first = i / batches * v->strip, left = all - first;
        const dpl_share batch = batch_of(v, i % batches, groups);
        const int32_t rows = left < v->strip ? left : v->strip;
        if (first != listed) {
            begin_strip(v, first, rows, listed >= 0);
            follow_list(v, 1, listed, first);
            listed = first;
        }
        fill_planes(v, first, rows, batch);
        run_groups(v, weights, batch, rows);
    }
    return weights + weight_bytes(v, groups);
}

#endif

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

/* Where a strip's outputs lie, and padding, which is alike in all groups: cells that no window
 * meets may have anything. */
static inline void begin_strip(const convolution *v, int32_t first, int32_t rows) {
    list_outputs(v, first, rows);
    if (v->padded) {
        pad_cells(v->planes, (int16_t)v->input_zero, all_cells(v));
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
        list_values(v, CELL_BYTES);
    }
    for (int32_t i = share.begin; i < share.end; i++) {
        const int32_t first = i / batches * v->strip, left = all - first;
        const dpl_share batch = batch_of(v, i % batches, groups);
        const int32_t rows = left < v->strip ? left : v->strip;
        if (first != listed) {
            begin_strip(v, first, rows);
            listed = first;
        }
        fill_planes(v, first, rows, batch);
        run_groups(v, weights, batch, rows);
    }
    return weights + weight_bytes(v, groups);
}

#endif

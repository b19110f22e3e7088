/* Convolution with four groups or more: lanes are groups. Included behind the
 * elements of a type, groups_s8.h or groups_s16.h.
 *
 * Of eight groups the input becomes planes of int16 as for lanes of pixels
 * (dpl/neon/planes.h), but a cell has all eight groups. A value of a position
 * is a vector wherever it is, in whole halves, and so is what an output of each
 * group multiplies it by. Outputs of a position lie side by side. The last
 * eight groups overlap those before.
 *
 * Of fewer a cell has four groups, half of a vector, which then are those of two positions: weights
 * and tables are there twice, and a block has as many positions again.
 *
 * Batches of groups take a strip of rows of the output in turn, whose
 * planes stay in the first cache; cores share batches of strips, strips where batches overlap. */
#ifndef DPL_NEON_GROUPS_H
#define DPL_NEON_GROUPS_H

#include "dpl/neon/groups_fill.h"
#include "dpl/neon/groups_outputs.h"
#include "dpl/neon/groups_pairs.h"
#include "dpl/neon/groups_sums.h"
#include "dpl/neon/planes_lists.h"
#include "dpl/neon/planes_shape.h"

#define IS_FEW(V) 0 /* as planes.h has it */

/* Whether a vector has two positions. */
static inline int in_pairs(const convolution *v) {
    return v->together == GROUPS_IN_PAIRS;
}

static inline int32_t cell_bytes(const convolution *v) {
    return 2 * v->together;
}

static inline int32_t lanes_of(int32_t groups) {
    return groups < LANES_OF_GROUPS ? GROUPS_IN_PAIRS : LANES_OF_GROUPS;
}

/* No tap is left out: planes have what any of them reads. How many groups go together is known from
 * here on. */
static inline void set_values(convolution *v) {
    v->values = v->stored = v->window.kernel_height * v->window.kernel_width * v->depth;
    v->together = lanes_of(v->input.channels / ELEMENT_BYTES / v->depth);
}

static inline void set_strip(convolution *v, int32_t groups) {
    v->strip = strip_of(v, groups);
}

/* No rows of convolutions that share planes are columns. */
static inline void turn_narrow(convolution *v) {
    (void)v;
}

/* Where a vector has two positions, a block has sixteen. */
static inline int32_t row_alone(const convolution *v) {
    return in_whole(v->columns.count, in_pairs(v) ? 2 * BLOCK : BLOCK);
}

static inline void shape_groups(convolution *v, int32_t groups) {
    v->depth = v->input.channels / ELEMENT_BYTES / groups;
    v->outputs = v->output.channels / ELEMENT_BYTES / groups;
    set_values(v);
    set_axes(v);
    turn_if_fewer(v);
    set_alone(v, row_alone(v));
    set_strip(v, groups);
    v->plane = (v->strip + v->tall.span) * v->pitch;
    v->cells = v->tall.remainders * v->wide.remainders * v->plane;
}

/* Values of all cells: behind them a block of either kind reads as much. */
static inline int32_t all_cells(const convolution *v) {
    return v->together * v->depth * v->cells + LANES_OF_GROUPS * cells_behind(v);
}

/* Of a core, for groups of so many bytes of channels. */
static inline int32_t strip_bytes(convolution *v, int32_t channels) {
    shape_groups(v, v->input.channels / channels);
    return in_whole(at_bytes(v) + to_bytes(v) + 2 * all_cells(v), 16);
}

/* Rows from input row `y` on of the planes of column remainder `x`, of eight
 * groups or four from `from` on: `to` is place 0. */
static inline void fill_group_rows(const convolution *v, int32_t y, int32_t x, const int8_t *from,
                                   int16_t *to, int32_t rows) {
    const plane_axis *wide = &v->wide;
    const int32_t before = wide->first < 0 ? -wide->first : 0;
    const int32_t places = places_before(wide, x, v->input.width);
    const int64_t column = plane_begin(wide, x) + before * wide->stride;
    plane_row row = {.step = wide->stride * v->input.pixel_pitch,
                     .apart = v->cells * v->together,
                     .count = (places < v->pitch ? places : v->pitch) - before};
    for (int32_t some; rows > 0;
         rows -= some, y += some * v->tall.stride, to += some * v->pitch * v->together) {
        some = 1;
        if (y >= 0 && y < v->input.height) {
            plane_row own = row;
            some = rows_in_line(v, &row, y, rows);
            own.count *= some;
            own.from =
                dpl_row_s8(&v->input, y) - v->input.data + from + column * v->input.pixel_pitch;
            own.to = to + before * v->together;
            if (in_pairs(v)) {
                fill_fours_of_groups(&own, v->depth);
            } else {
                fill_pixels(&own, v->depth);
            }
        }
    }
}

/* For `rows` rows of the output from `first` on, of a batch of groups. */
static inline void fill_planes(const convolution *v, int32_t first, int32_t rows,
                               dpl_share groups) {
    const plane_axis *tall = &v->tall;
    const int8_t *from = v->input.data + groups.begin * v->depth * ELEMENT_BYTES;
    int16_t *to = v->planes;
    for (int32_t i = 0; i < tall->remainders; i++) {
        const int32_t y = plane_begin(tall, i) + first * tall->stride;
        for (int32_t x = 0; x < v->wide.remainders; x++, to += v->plane * v->together) {
            fill_group_rows(v, y, x, from, to, rows + tall->span);
        }
    }
}

#define WEIGHT_BYTES (2 * LANES_OF_GROUPS) /* of a value */
static inline int32_t output_bytes(const convolution *v) {
    return WEIGHT_BYTES * v->values + (int32_t)sizeof(group_table);
}

static inline const group_table *table_of(const convolution *v, const int8_t *weights) {
    return (const group_table *)(const void *)(weights + WEIGHT_BYTES * v->values);
}

/* An output of each group, of a block of positions from the `i`th on. */
INLINED void make_outputs(const convolution *v, const group_limits *limits, const int8_t *weights,
                          int32_t i, group_elements *made) {
    const group_table *table = table_of(v, weights);
    int32x4_t low[BLOCK], high[BLOCK];
    int16x8_t outputs[BLOCK];
    sum_groups((const int8_t *)v->planes + cell_bytes(v) * i, v->at, v->values,
               (const int16_t *)(const void *)weights, table, low, high);
    finish_groups(limits, table, low, high, outputs);
    limit_groups(outputs, limits->within, made);
}

/* All positions of a strip, one output a group; the last block first. */
static void run_single(const convolution *v, const int8_t *weights, int8_t *out,
                       int32_t positions) {
    const convolution own = *v; /* a store could change them */
    const int32_t step = v->columns.step * v->output.pixel_pitch;
    const position_runs runs = runs_of(&own, positions);
    const group_limits limits = group_limits_of(own.requant, table_of(&own, weights));
    for (int32_t begin = runs.last; begin >= 0; begin -= own.pitch) {
        for (int32_t i = begin + in_whole(runs.size, BLOCK) - BLOCK; i >= begin; i -= BLOCK) {
            int8_t *to[BLOCK];
            group_elements made[BLOCK];
            make_outputs(&own, &limits, weights, i, made);
            list_stores(out, own.to + i, step, to);
            store_single(made, to);
        }
    }
}

/* Several, of a block of positions from the `i`th on. */
static inline void run_block_of_several(const convolution *v, const group_limits *limits,
                                        const int8_t *weights, int8_t *out, int32_t i) {
    const int32_t step = v->columns.step * v->output.pixel_pitch;
    const int32_t together = v->outputs <= MOST_TURNS ? v->outputs : 1;
    int8_t *to[BLOCK];
    group_elements made[MOST_TURNS * BLOCK];
    for (int32_t n = 0; n < v->outputs; n += together) {
        for (int32_t k = 0; k < together; k++, weights += output_bytes(v)) {
            make_outputs(v, limits, weights, i, made + k * BLOCK);
        }
        list_stores(out + n * ELEMENT_BYTES, v->to + i, step, to);
        if (together == 1) {
            store_apart(made, v->outputs * ELEMENT_BYTES, to);
        } else {
            store_turns(made, together, to);
        }
    }
}

static void run_several(const convolution *v, const int8_t *weights, int8_t *out,
                        int32_t positions) {
    const position_runs runs = runs_of(v, positions);
    const group_limits limits = group_limits_of(v->requant, table_of(v, weights));
    for (int32_t begin = runs.last; begin >= 0; begin -= v->pitch) {
        for (int32_t i = begin + in_whole(runs.size, BLOCK) - BLOCK; i >= begin; i -= BLOCK) {
            run_block_of_several(v, &limits, weights, out, i);
        }
    }
}

/* Of two positions a vector, sixteen a block from the `i`th on, of which the last eight may be
 * missing from `end` on; `together` outputs a group at a time, a constant. */
INLINED void run_block_of_pairs(const convolution *v, const group_limits *limits,
                                const int8_t *weights, int8_t *out, int32_t i, int32_t end,
                                int together) {
    const int32_t step = v->columns.step * v->output.pixel_pitch, outputs = v->outputs;
    group_elements made[MOST_TURNS * BLOCK];
    for (int32_t n = 0; n < outputs; n += together) {
        int8_t *const to = out + n * ELEMENT_BYTES;
        UNROLLED for (int k = 0; k < together; k++) {
            make_outputs(v, limits, weights, i, made + k * BLOCK);
            weights += output_bytes(v);
        }
        if (i + BLOCK < end) {
            store_pairs(made + PAIRS, together, outputs, to, v->to + i + BLOCK, step);
        }
        store_pairs(made, together, outputs, to, v->to + i, step);
    }
}

INLINED void run_pairs(const convolution *v, const int8_t *weights, int8_t *out, int32_t positions,
                       int together) {
    const convolution own = *v;
    const position_runs runs = runs_of(&own, positions);
    const group_limits limits = group_limits_of(own.requant, table_of(&own, weights));
    for (int32_t begin = runs.last; begin >= 0; begin -= own.pitch) {
        const int32_t end = begin + in_whole(runs.size, BLOCK);
        for (int32_t i = begin + in_whole(runs.size, 2 * BLOCK) - 2 * BLOCK; i >= begin;
             i -= 2 * BLOCK) {
            run_block_of_pairs(&own, &limits, weights, out, i, end, together);
        }
    }
}

static void run_in_pairs(const convolution *v, const int8_t *weights, int8_t *out,
                         int32_t positions) {
    switch (v->outputs) {
    case 2: run_pairs(v, weights, out, positions, 2); break;
    case 3: run_pairs(v, weights, out, positions, 3); break;
    case 4: run_pairs(v, weights, out, positions, 4); break;
    default: run_pairs(v, weights, out, positions, 1); break;
    }
}

/* The last batch begins earlier where groups do not fill it. */
static inline dpl_share batch_of(const convolution *v, int32_t i, int32_t groups) {
    const int32_t first = i * v->together, last = groups - v->together;
    const dpl_share batch = {first < last ? first : last,
                             (first < last ? first : last) + v->together};
    return batch;
}

/* A strip of the groups whose planes are there, by the weights of all. */
static inline void run_groups(const convolution *v, const int8_t *weights, dpl_share groups,
                              int32_t rows) {
    const int32_t positions = (rows - 1) * v->pitch + v->columns.count;
    int8_t *out = v->output.data + groups.begin * v->outputs * ELEMENT_BYTES;
    weights += ((groups.end + v->together - 1) / v->together - 1) * v->outputs * output_bytes(v);
    if (in_pairs(v)) {
        run_in_pairs(v, weights, out, positions);
    } else if (v->outputs == 1) {
        run_single(v, weights, out, positions);
    } else {
        run_several(v, weights, out, positions);
    }
}

/* A core's part of the batches of all strips; those of a strip that overlap are one core's. */
static inline dpl_share share_of(const convolution *v, int32_t strips, int32_t groups) {
    const int32_t batches = batches_of(v, groups), apart = groups % v->together == 0 ? batches : 1;
    const dpl_share own = dpl_core_share(strips * apart);
    const dpl_share share = {own.begin * (batches / apart), own.end * (batches / apart)};
    return share;
}

static inline int32_t weight_bytes(const convolution *v, int32_t groups) {
    return batches_of(v, groups) * v->outputs * output_bytes(v);
}

/* About what eight positions take, in cycles, and planes. */
static inline int64_t block_cycles(const convolution *v) {
    return (int64_t)v->outputs * (v->values * 26 + 110) * v->together / LANES_OF_GROUPS;
}

static inline int64_t fill_cycles(const convolution *v) {
    return (int64_t)(v->depth + 1) * 5 * v->input.height * v->input.width;
}

/* No column of a window has planes of its own. */
static inline int64_t apart_saves(convolution *v) {
    (void)v;
    return 0;
}

#include "dpl/neon/planes_batches.h"

/* All groups of whole tensors in `v`; returns what is behind their weights. */
static inline const int8_t *convolve(convolution *v, int32_t groups, const int8_t *weights) {
    shape_groups(v, groups);
    return convolve_batches(v, groups, weights);
}

#endif

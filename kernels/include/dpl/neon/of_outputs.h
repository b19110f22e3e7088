/* Convolution with few values and several outputs a group: lanes are outputs. Included behind the
 * elements of a type, of_outputs_s8.h or of_outputs_s16.h.
 *
 * Eight pixels read the taps of their windows where they lie; where, is listed once for all groups.
 * A value of a pixel is a lane of four, which the weights of eight outputs multiply in two cycles:
 * four values take 64 of products, eight of weights and, of int16, eight of loads, 80 for 256
 * products, of int8 eight more to widen them. Values that fill no four go one by one. What is
 * around the sums of a piece takes some 90 cycles, no planes and no copies are made, and outputs of
 * a pixel lie side by side when they are done. Of up to four outputs a vector has all. */
#ifndef DPL_NEON_OF_OUTPUTS_H
#define DPL_NEON_OF_OUTPUTS_H

#include "dpl/cores.h"
#include "dpl/neon/eight_taps.h"
#include "dpl/neon/groups_outputs.h"

#ifdef __aarch64__
#include "dpl/neon/of_outputs_a64.h"
#endif

#define MOST_LANES LANES_OF_GROUPS
#define HALF_LANES (MOST_LANES / 2)
#define FOUR 4 /* values */

/* Of a group up to eight outputs, which begin at `out`; taps' values are `in` bytes behind those of
 * the first group. */
typedef struct {
    const int16_t *weights;
    const group_table *table;
    group_limits limits;
    int8_t *out;
    int64_t in;
    int32_t outputs;
} lane_piece;

static inline int32_t in_vectors(int32_t bytes) {
    return (bytes + 15) / 16 * 16;
}

static inline int32_t taps_of(const convolution *v) {
    return v->window.kernel_height * v->window.kernel_width;
}

/* Places of taps, and as many behind them that may be read. */
static inline int32_t places_bytes(const convolution *v) {
    return (taps_of(v) + 1) * PIXELS * (int32_t)sizeof(int8_t *);
}

/* Of a core: where taps lie, and a pixel of zero points. */
static inline int32_t strip_bytes(const convolution *v, int32_t channels) {
    (void)channels;
    return places_bytes(v) + in_vectors(v->input.channels);
}

#ifndef __aarch64__
/* Value LANE of four of each pixel. */
#define ADD_OF_FOUR(LANE)                                                                          \
    {                                                                                              \
        const int16x4_t first = vld1_s16(weights + (LANE)*lanes);                                  \
        const int16x4_t last = vld1_s16(weights + (LANE)*lanes + lanes - HALF_LANES);              \
        UNROLLED for (int i = 0; i < PIXELS; i++) {                                                \
            low[i] = vmlal_lane_s16(low[i], first, x[i], LANE);                                    \
            if (lanes == MOST_LANES) {                                                             \
                high[i] = vmlal_lane_s16(high[i], last, x[i], LANE);                               \
            }                                                                                      \
        }                                                                                          \
    }

INLINED void add_four(const int8_t *const *from, int64_t at, const int16_t *weights, int lanes,
                      int32x4_t *low, int32x4_t *high) {
    int16x4_t x[PIXELS];
    UNROLLED for (int i = 0; i < PIXELS; i++) {
        x[i] = four_channels(from[i] + at);
    }
    ADD_OF_FOUR(0)
    ADD_OF_FOUR(1)
    ADD_OF_FOUR(2)
    ADD_OF_FOUR(3)
}

INLINED void add_one(const int8_t *const *from, int64_t at, const int16_t *weights, int lanes,
                     int32x4_t *low, int32x4_t *high) {
    const int16x4_t first = vld1_s16(weights), last = vld1_s16(weights + lanes - HALF_LANES);
    UNROLLED for (int i = 0; i < PIXELS; i++) {
        const int16x4_t x = vdup_n_s16(one_value(from[i] + at));
        low[i] = vmlal_s16(low[i], first, x);
        if (lanes == MOST_LANES) {
            high[i] = vmlal_s16(high[i], last, x);
        }
    }
}

/* All taps of eight pixels. */
INLINED void add_taps(const convolution *v, const lane_piece *p, int lanes, int32x4_t *low,
                      int32x4_t *high) {
    const int16_t *weights = p->weights;
    const int8_t *const *from = v->from;
    const int64_t end = p->in + (int64_t)v->depth * ELEMENT_BYTES;
    for (int32_t t = taps_of(v); t > 0; t--, from += PIXELS) {
        int64_t at = p->in;
        for (; at <= end - FOUR * ELEMENT_BYTES;
             at += FOUR * ELEMENT_BYTES, weights += FOUR * lanes) {
            add_four(from, at, weights, lanes, low, high);
        }
        for (; at < end; at += ELEMENT_BYTES, weights += lanes) {
            add_one(from, at, weights, lanes, low, high);
        }
    }
}
#endif

/* Of eight pixels by a piece of up to `lanes` outputs, a constant. */
INLINED void sum_outputs(const convolution *v, const lane_piece *p, int lanes, int32x4_t *low,
                         int32x4_t *high) {
#ifdef __aarch64__
    if (lanes == MOST_LANES) {
        sum_eight_a53(v->from, taps_of(v), p->in, v->depth, p->weights, p->table->bias, low, high);
        return;
    }
    sum_four_a53(v->from, taps_of(v), p->in, v->depth, p->weights, p->table->bias, low);
    UNROLLED for (int i = 0; i < PIXELS; i++) {
        high[i] = low[i];
    }
#else
    UNROLLED for (int i = 0; i < PIXELS; i++) {
        low[i] = vld1q_s32(p->table->bias);
        high[i] = vld1q_s32(p->table->bias + HALF_LANES);
    }
    add_taps(v, p, lanes, low, high);
#endif
}

/* The first lanes of a vector, less than eight. */
INLINED void store_first_lanes(group_elements v, int32_t count, int8_t *to) {
    const wide_elements all = AS_WIDE(v);
    if (count & 4) {
        STORE_4(to, all, 0);
        to += 4 * ELEMENT_BYTES;
        if (count & 2) {
            STORE_2(to, all, 2);
            to += 2 * ELEMENT_BYTES;
            if (count & 1) {
                STORE_1(to, all, 6);
            }
        } else if (count & 1) {
            STORE_1(to, all, 4);
        }
    } else if (count & 2) {
        STORE_2(to, all, 0);
        if (count & 1) {
            STORE_1(to + 2 * ELEMENT_BYTES, all, 2);
        }
    } else {
        STORE_1(to, all, 0);
    }
}

/* Eight pixels. */
INLINED void run_lanes(const convolution *v, const lane_piece *p, const int32_t *at, int lanes) {
    int32x4_t low[PIXELS], high[PIXELS];
    int16x8_t outputs[PIXELS];
    group_elements made[PIXELS];
    int8_t *to[PIXELS];
    sum_outputs(v, p, lanes, low, high);
    finish_groups(&p->limits, p->table, low, high, outputs);
    limit_groups(outputs, p->limits.within, made);
    list_stores(p->out, at, v->columns.step * v->output.pixel_pitch, to);
    if (lanes == MOST_LANES && p->outputs == MOST_LANES) {
        store_single(made, to);
        return;
    }
    UNROLLED for (int i = 0; i < PIXELS; i++) {
        store_first_lanes(made[i], p->outputs, to[i]);
    }
}

static inline int32_t lanes_of(int32_t outputs) {
    return outputs > HALF_LANES ? MOST_LANES : HALF_LANES;
}

static inline int32_t weights_bytes(const convolution *v, int32_t lanes) {
    return in_vectors(taps_of(v) * v->depth * lanes * (int32_t)sizeof(int16_t));
}

static inline int32_t group_bytes(const convolution *v) {
    const int32_t whole = v->outputs / MOST_LANES, left = v->outputs % MOST_LANES;
    const int32_t table = (int32_t)sizeof(group_table);
    const int32_t rest = left > 0 ? weights_bytes(v, lanes_of(left)) + table : 0;
    return whole * (weights_bytes(v, MOST_LANES) + table) + rest;
}

/* What all pieces of groups have alike. */
typedef struct {
    int32_t outputs, out_step, in_step, bytes, few_bytes;
} group_steps;

static inline group_steps steps_of(const convolution *v) {
    const group_steps steps = {v->outputs, v->outputs * ELEMENT_BYTES, v->depth * ELEMENT_BYTES,
                               weights_bytes(v, MOST_LANES), weights_bytes(v, HALF_LANES)};
    return steps;
}

INLINED const int8_t *run_piece(const convolution *v, lane_piece *p, const int8_t *weights,
                                int32_t bytes, const int32_t *at, int lanes) {
    p->weights = (const int16_t *)(const void *)weights;
    p->table = (const group_table *)(const void *)(weights + bytes);
    run_lanes(v, p, at, lanes);
    return weights + bytes + (int32_t)sizeof(group_table);
}

/* Outputs of `groups` of eight pixels: pieces of more than four, then what is left. One loop of all
 * groups, since what a call begins with would take as long as the sums of few values. */
static __attribute__((noinline)) void run_groups(const convolution *v, dpl_share groups,
                                                 const int8_t *weights, const int32_t *at) {
    const convolution own = *v; /* a store could change them */
    const group_steps steps = steps_of(v);
    const int32_t first = steps.outputs > HALF_LANES ? steps.bytes : steps.few_bytes;
    const group_table *table = (const group_table *)(const void *)(weights + first);
    lane_piece p = {.in = (int64_t)groups.begin * steps.in_step,
                    .limits = group_limits_of(v->requant, table)};
    int8_t *out = v->output.data + groups.begin * steps.out_step;
    for (int32_t g = groups.begin; g < groups.end; g++, p.in += steps.in_step) {
        int32_t left = steps.outputs;
        for (p.out = out; left > HALF_LANES; left -= MOST_LANES) {
            p.outputs = left < MOST_LANES ? left : MOST_LANES;
            weights = run_piece(&own, &p, weights, steps.bytes, at, MOST_LANES);
            p.out += MOST_LANES * ELEMENT_BYTES;
        }
        if (left > 0) {
            p.outputs = left;
            weights = run_piece(&own, &p, weights, steps.few_bytes, at, HALF_LANES);
        }
        out += steps.out_step;
    }
}

/* Where eight pixels read the first group's values of each tap. */
static inline void list_all_taps(const convolution *v, const deep_pixels *p) {
    const dpl_window *w = &v->window;
    const int8_t **from = v->from;
    for (int32_t ky = 0; ky < w->kernel_height; ky++) {
        deep_row row;
        find_row(v, p, ky * w->dilation_height, &row);
        for (int32_t kx = 0; kx < w->kernel_width; kx++, from += PIXELS) {
            list_taps(v, v->input.data, p, &row, kx * w->dilation_width, from);
        }
    }
}

/* All groups of whole tensors in `v`, cores share groups of blocks of pixels; returns what is
 * behind their weights. */
static inline const int8_t *convolve(convolution *v, int32_t groups, const int8_t *weights) {
    const int32_t blocks = (v->rows.count * v->columns.count + PIXELS - 1) / PIXELS;
    const dpl_share share = dpl_core_share(blocks * groups);
    int8_t *own = (int8_t *)v->scratch + dpl_core_id() * v->core_bytes;
    dpl_share some;
    deep_pixels p;
    v->depth = v->input.channels / ELEMENT_BYTES / groups;
    v->outputs = v->output.channels / ELEMENT_BYTES / groups;
    v->from = (const int8_t **)(void *)own;
    clear_zeros(v, own + places_bytes(v), v->input.channels);
    for (int32_t i = share.begin; i < share.end; i += some.end - some.begin) {
        const int32_t left = share.end - i;
        some.begin = i % groups;
        some.end = left < groups - some.begin ? some.begin + left : groups;
        list_pixels(v, i / groups * PIXELS, &p);
        list_all_taps(v, &p);
        run_groups(v, some, weights + some.begin * group_bytes(v), p.to);
    }
    return weights + groups * group_bytes(v);
}

#endif

/* All outputs of a strip of a group, whose planes are there: of eight channels lanes are channels,
 * of fewer pixels. */
#ifndef DPL_NEON_PLANES_RUN_H
#define DPL_NEON_PLANES_RUN_H

#include "dpl/neon/groups_outputs.h"
#include "dpl/neon/planes_outputs.h"
#include "dpl/neon/planes_shape.h"
#include "dpl/neon/planes_slide.h"
#include "dpl/neon/planes_stores.h"
#include "dpl/neon/planes_sums.h"

/* Channels of the piece that has most: pieces differ by one at most, the larger ones first. */
static inline int32_t pieces_of(int32_t channels) {
    return (channels + MOST_CHANNELS - 1) / MOST_CHANNELS;
}

static inline int32_t piece_bytes(const convolution *v, int32_t channels) {
    const int32_t step = channels > HALF_CHANNELS ? MOST_CHANNELS : HALF_CHANNELS;
    return in_whole(2 * step * v->stored, 16) + channels * (int32_t)sizeof(channel_table);
}

/* A piece of a group, whose planes begin at `cells` and whose channels are `out` and on. */
typedef struct {
    const int8_t *cells;
    const int16_t *weights;
    const channel_table *tables;
    plane_limits limits;
    int8_t *out;
    int32_t step; /* bytes between pixels of a row of the output */
    /* where taps slide: rows of them, cells between taps */
    const uint16_t *places;
    const int16_t *row_weights;
    int32_t rows, apart;
    int32_t spread[MOST_CHANNELS]; /* bytes to each channel, where they lie in several pixels */
} plane_piece;

/* Whether a group's outputs are spread over pixels. */
#ifdef WIDE_PIXELS
#define IS_SPREAD(V) ((V)->pixel_outputs > 0)
#define IS_CUT(V) ((V)->inside.end > 0) /* whether some of a group's outputs are not stored */
#include "dpl/neon/planes_spread.h"
#else
#define IS_SPREAD(V) 0
#define IS_CUT(V) 0
#define run_cut(V, PIECE, CHANNELS, FIRST, POSITIONS) (void)0
#define store_spread(OUTPUTS, P, CHANNELS, AT) (void)0
#define store_lanes_spread(MADE, P, AT) (void)0
#endif

/* Eight positions from the `i`th on. */
INLINED void run_block(const convolution *v, const plane_piece *p, int channels, int32_t i) {
    const int8_t *cells = p->cells + 2 * i;
    int32x4_t low[MOST_CHANNELS], high[MOST_CHANNELS];
    int16x8_t outputs[MOST_CHANNELS];
    sum_channels(cells, v->at, v->values, p->weights, p->tables, channels, low, high);
    finish_sums(&p->limits, p->tables, channels, low, high, outputs);
    if (IS_SPREAD(v)) {
        store_spread(outputs, p, channels, v->to + i);
        return;
    }
    store_block(outputs, p->limits.within, channels, p->out, v->to + i, p->step);
}

/* Sixteen positions that go where `to` tells; `spread`: over pixels. */
INLINED void store_sixteen(const plane_piece *p, int spread, int channels, int16x8_t *outputs,
                           const int32_t *to) {
    if (spread) {
        store_spread(outputs + channels, p, channels, to + PIXELS);
        store_spread(outputs, p, channels, to);
        return;
    }
    store_wide(outputs, p->limits.within, channels, p->out, to, p->step);
}

/* `by`: what channels are multiplied by. */
INLINED void run_two(const convolution *v, const plane_piece *p, int channels, const int32x2_t *by,
                     const int8_t *cells, const int32_t *to) {
    int32x4_t low[2 * PAIRED_CHANNELS], high[2 * PAIRED_CHANNELS];
    int16x8_t outputs[2 * PAIRED_CHANNELS];
    if (channels <= TWO_CHANNELS && v->slid_taps > 0) {
        sum_slid(cells, p->places, p->rows, p->row_weights, p->tables, channels, v->slid_taps,
                 p->apart, low, high);
    } else {
        sum_two(cells, v->at, v->values, p->weights, p->tables, channels, low, high);
    }
    finish_sums_by(&p->limits, p->tables, by, channels, low + channels, high + channels,
                   outputs + channels);
    finish_sums_by(&p->limits, p->tables, by, channels, low, high, outputs);
    store_sixteen(p, IS_SPREAD(v), channels, outputs, to);
}

/* More channels, by the usual rule. */
INLINED void run_twenty(const convolution *v, const plane_piece *p, int channels,
                        const int8_t *cells, const int32_t *to) {
    int16x8_t outputs[2 * MOST_TOGETHER];
    make_sixteen(cells, v->at, v->values, p->weights, p->tables, channels, outputs);
    store_sixteen(p, IS_SPREAD(v), channels, outputs, to);
}

/* Blocks of sixteen of all runs, one loop: what a row begins with would take a third of what is
 * around the sums of a block. */
INLINED void run_twos(const convolution *v, const plane_piece *p, int channels,
                      position_runs runs) {
    const int32_t whole = in_whole(runs.size, PIXELS), each = whole / (2 * PIXELS);
    const int32_t next = v->alone > 0 ? v->pitch - 2 * PIXELS * each : 0; /* more to another run */
    int32x2_t by[PAIRED_CHANNELS];
    if (channels <= PAIRED_CHANNELS) {
        take_multipliers(p->tables, channels, by);
    }
    int32_t begin = runs.last, left = each;
    const int8_t *cells = p->cells + 2 * (begin + whole - 2 * PIXELS);
    const int32_t *to = v->to + begin + whole - 2 * PIXELS;
    for (;; cells -= 2 * 2 * PIXELS, to -= 2 * PIXELS) {
        if (channels <= PAIRED_CHANNELS) {
            run_two(v, p, channels, by, cells, to);
        } else {
            run_twenty(v, p, channels, cells, to);
        }
        if (--left == 0) {
            begin -= v->pitch;
            if (begin < 0) {
                return;
            }
            left = each;
            cells -= 2 * next;
            to -= next;
        }
    }
}

/* All positions of the strip, `channels` of a piece, a constant; the last block first. */
INLINED void run_channels(const convolution *v, const plane_piece *piece, int channels,
                          int32_t positions) {
    const convolution own = *v; /* a store could change them */
    const plane_piece p = *piece;
    const position_runs runs = runs_of(&own, positions);
    const int32_t whole = in_whole(runs.size, PIXELS);
    int32_t left = whole; /* positions of a run */
    if (together_of(&p.limits, channels) && whole >= 2 * PIXELS) {
        run_twos(&own, &p, channels, runs);
        left = whole % (2 * PIXELS);
    }
    for (int32_t begin = runs.last; begin >= 0 && left > 0; begin -= own.pitch) {
        for (int32_t i = begin + left - PIXELS; i >= begin; i -= PIXELS) {
            run_block(&own, &p, channels, i);
        }
    }
}

/* The tables of eight channels, kind by kind. */
static inline void take_tables(group_table *to, const channel_table *from) {
#ifdef __ARM_NEON
    for (int i = 0; i < MOST_CHANNELS; i += HALF_CHANNELS) {
        const int32x4x4_t four = vld4q_s32(&from[i].bias);
        vst1q_s32(to->bias + i, four.val[0]);
        vst1q_s32(to->multiplier + i, four.val[1]);
        vst1q_s32(to->rounding + i, four.val[2]);
        vst1q_s32(to->shift + i, four.val[3]);
    }
#else
    for (int32_t c = 0; c < MOST_CHANNELS; c++) {
        to->bias[c] = from[c].bias, to->multiplier[c] = from[c].multiplier;
        to->rounding[c] = from[c].rounding, to->shift[c] = from[c].shift;
    }
#endif
}

/* Eight channels of eight positions from the `i`th on, in lanes: what a pixel gets lies side by
 * side, and is stored so. */
INLINED void run_block_of_lanes(const convolution *v, const plane_piece *p,
                                const group_limits *limits, const group_factors *by,
                                const group_table *table, int32_t i) {
    int32x4_t low[PIXELS], high[PIXELS];
    int16x8_t outputs[PIXELS];
    group_elements made[PIXELS];
    int8_t *to[PIXELS];
    sum_lanes(p->cells + 2 * i, v->at, v->values, p->weights, table->bias, low, high);
    finish_groups_by(limits, by, table, low, high, outputs);
    limit_groups(outputs, limits->within, made);
    if (IS_SPREAD(v)) {
        store_lanes_spread(made, p, v->to + i);
        return;
    }
    list_stores(p->out, v->to + i, p->step, to);
    store_single(made, to);
}

static inline void run_lanes(const convolution *v, const plane_piece *piece, int32_t positions) {
    const convolution own = *v;
    const plane_piece p = *piece;
    const position_runs runs = runs_of(&own, positions);
    group_table table;
    take_tables(&table, p.tables);
    const group_limits limits = group_limits_of(own.requant, &table);
    const group_factors by = group_factors_of(&table);
    for (int32_t begin = runs.last; begin >= 0; begin -= own.pitch) {
        for (int32_t i = begin + in_whole(runs.size, PIXELS) - PIXELS; i >= begin; i -= PIXELS) {
            run_block_of_lanes(&own, &p, &limits, &by, &table, i);
        }
    }
}

static void run_piece(const convolution *v, const plane_piece *p, int32_t channels,
                      int32_t positions) {
    switch (channels) {
    case 1: run_channels(v, p, 1, positions); break;
    case 2: run_channels(v, p, 2, positions); break;
    case 3: run_channels(v, p, 3, positions); break;
    case 4: run_channels(v, p, 4, positions); break;
    case 5: run_channels(v, p, 5, positions); break;
    case 6: run_channels(v, p, 6, positions); break;
    case 7: run_channels(v, p, 7, positions); break;
    default: run_lanes(v, p, positions); break;
    }
}

#ifdef WIDE_PIXELS
#include "dpl/neon/planes_cut.h"
#endif

/* The weights of the values that are kept: as they lie, or one tap of each kernel row. */
static inline const int16_t *kept_weights(const convolution *v, const int16_t *weights,
                                          int32_t step) {
    const int16_t *from = weights + v->skipped * step;
    if (v->row_values == 0) {
        return from;
    }
    int16_t *to = v->kept;
    from += v->row_skipped * step;
    for (int32_t i = 0; i < v->values; i += v->depth, from += v->row_values * step) {
        for (int32_t k = 0; k < v->depth * step; k += HALF_CHANNELS, to += HALF_CHANNELS) {
            vst1_s16(to, vld1_s16(from + k));
        }
    }
    return v->kept;
}

static inline int32_t sum_of_weights(const int16_t *weights, int32_t count, int32_t step) {
    int32_t sum = 0;
    for (int32_t i = 0; i < count; i++) {
        sum += weights[i * step];
    }
    return sum;
}

/* The tables of a piece whose biases have what values that are left out would add: all are zero
 * points. */
static inline void add_padding(const convolution *v, const int16_t *weights, const int16_t *kept,
                               int32_t channels, const channel_table *from, channel_table *to) {
    const int32_t step = channels > HALF_CHANNELS ? MOST_CHANNELS : HALF_CHANNELS;
    for (int32_t c = 0; c < channels; c++) {
        const int32_t sum = sum_of_weights(weights + c, v->stored, step) -
                            sum_of_weights(kept + c, v->values, step);
        to[c] = from[c];
        to[c].bias = (int32_t)((uint32_t)to[c].bias + (uint32_t)(v->input_zero * sum));
    }
}

/* The first outputs of a group lie at its place in the first of several pixels. */
static inline void spread_channels(const convolution *v, plane_piece *p, int32_t channels,
                                   int32_t first) {
    const int32_t group = first / v->outputs, each = v->pixel_outputs;
    p->out = v->output.data + group * each * ELEMENT_BYTES;
    for (int32_t c = 0; c < channels; c++) {
        const int32_t own = first - group * v->outputs + c;
        p->spread[c] = own / each * v->pixel_bytes + own % each * ELEMENT_BYTES;
    }
}

/* `own`: room for tables. */
static inline plane_piece piece_of(convolution *v, const int16_t *planes, const int8_t *at,
                                   int32_t channels, int32_t first, channel_table *own) {
    const int8_t *end = at + piece_bytes(v, channels);
    const int16_t *weights = (const int16_t *)(const void *)at;
    const channel_table *tables = (const channel_table *)(const void *)end - channels;
    const plane_limits limits = limits_of(v->requant, tables, channels);
    const int32_t step = channels > HALF_CHANNELS ? MOST_CHANNELS : HALF_CHANNELS;
    const int16_t *kept = kept_weights(v, weights, step);
    if (v->values < v->stored && v->input_zero != 0) {
        add_padding(v, weights, kept, channels, tables, own);
        tables = own;
    }
    plane_piece piece = {.cells = (const int8_t *)planes,
                         .weights = kept,
                         .tables = tables,
                         .limits = limits,
                         .out = v->output.data + first * ELEMENT_BYTES,
                         .step = v->columns.step * v->output.pixel_pitch};
    if (IS_SPREAD(v)) {
        spread_channels(v, &piece, channels, first);
    }
    if (v->slid_taps > 0) {
        if (v->ordered != weights) { /* as an earlier strip of the only group may have done */
            order_rows(v, kept);
            v->ordered = weights;
        }
        piece.places = row_places(v);
        piece.row_weights = row_weights(v);
        piece.rows = rows_of_taps(v);
        piece.apart = cells_apart(&v->wide);
    }
    return piece;
}

/* A strip of a group, whose planes are there; returns what is behind its weights. */
static inline const int8_t *run_group(convolution *v, const int16_t *planes, const int8_t *weights,
                                      int32_t group, int32_t rows) {
    const int32_t pieces = pieces_of(v->outputs);
    const int32_t positions = (rows - 1) * v->pitch + v->columns.count;
    int32_t first = group * v->outputs;
    for (int32_t i = 0; i < pieces; i++) {
        const int32_t channels = (v->outputs + pieces - 1 - i) / pieces;
        channel_table own[MOST_CHANNELS];
        plane_piece piece = piece_of(v, planes, weights, channels, first, own);
        if (IS_CUT(v)) {
            run_cut(v, &piece, channels, first - group * v->outputs, positions);
        } else {
            run_piece(v, &piece, channels, positions);
        }
        weights += piece_bytes(v, channels);
        first += channels;
    }
    return weights;
}

static inline int32_t group_bytes(const convolution *v) {
    const int32_t pieces = pieces_of(v->outputs);
    int32_t bytes = 0;
    for (int32_t i = 0; i < pieces; i++) {
        bytes += piece_bytes(v, (v->outputs + pieces - 1 - i) / pieces);
    }
    return bytes;
}

/* A strip of the groups whose planes are there, by the weights of all. */
static inline void run_groups(convolution *v, const int8_t *weights, dpl_share groups,
                              int32_t rows) {
    const int16_t *planes = v->planes;
    weights += groups.begin * group_bytes(v);
    for (int32_t g = groups.begin; g < groups.end; g++, planes += v->depth * v->cells) {
        weights = run_group(v, planes, weights, g, rows);
    }
}

#endif

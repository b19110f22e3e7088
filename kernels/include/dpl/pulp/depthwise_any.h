/* Depthwise windows of any size, stride and dilation, and any rule, for what has no loop of its
 * own. */
#ifndef DPL_PULP_DEPTHWISE_ANY_H
#define DPL_PULP_DEPTHWISE_ANY_H

#include "dpl/pulp/depthwise.h"
#include "dpl/pulp/planes.h"
#include "dpl/pulp/spread.h"
#include "dpl/pulp/transpose.h"

typedef struct {
    const dpl_planes *planes;
    dpl_spread spread;
    const int8_t *plane; /* of the channel */
    const int8_t *weights;
    int32_t weight_bytes; /* of a channel, with its tables, the last twelve */
} dpl_depthwise_channel;

typedef struct {
    dpl_depthwise_block block;
    int32_t sums[16];
} dpl_depthwise_room;

_Static_assert(sizeof(dpl_depthwise_room) <= DPL_SPREAD_ROOM_BYTES, "room in scratch");

/* Rows y to y + 3 of a piece, or as many as there are. */
static inline void dpl_point_rows(const dpl_depthwise_conv2d_s8_args *a, const dpl_piece *p,
                                  const dpl_depthwise_channel *c, int32_t y,
                                  dpl_depthwise_block *b) {
    const int32_t step = a->window.stride_height * DPL_PLANE * c->planes->pitch;
    const int32_t at = p->x * a->output.pixel_pitch + p->channel;
    const int8_t *row = c->plane + y * step;
    b->rows[0] = row;
    b->out[0] = dpl_row_s8(&a->output, p->y + y) + at;
    for (int32_t i = 1; i < 4; i++) {
        const int there = y + i < p->rows;
        row += step;
        b->rows[i] = there ? row : b->rows[0];
        b->out[i] = there ? dpl_row_s8(&a->output, p->y + y + i) + at : b->out[0];
    }
    b->row_at = b->out_at = 0;
    b->columns = p->columns;
}

/* The four rows behind those of `b`, which follow one another in the output, too. */
static inline void dpl_point_next_rows(const dpl_depthwise_conv2d_s8_args *a, int32_t columns,
                                       int32_t step, dpl_depthwise_block *b) {
    for (int32_t i = 0; i < 4; i++) {
        b->rows[i] += 4 * step;
        b->out[i] += 4 * a->output.row_pitch;
    }
    b->row_at = b->out_at = 0;
    b->columns = columns;
}

/* What all rows have in common. */
static inline void dpl_enter_channel(const dpl_depthwise_conv2d_s8_args *a,
                                     const dpl_depthwise_channel *c, dpl_depthwise_block *b) {
    const int32_t words = c->planes->words;
    b->taps = c->spread.taps;
    b->height = a->window.kernel_height;
    b->words = words;
    b->next_row = a->window.dilation_height * DPL_PLANE * c->planes->pitch - 4 * words;
    b->next_columns = 4 * a->window.stride_width;
    b->out_pixel = a->output.pixel_pitch;
    b->tables = c->weights + c->weight_bytes - 12;
    b->low = a->requant.low;
    b->high = a->requant.high;
}

/* Whether the loop of two words takes rows y to y + 3 of a piece: those that are missing lie in the
 * planes or before the end of the taps, behind them. */
static inline int dpl_by_two_words(const dpl_depthwise_conv2d_s8_args *a, const dpl_piece *p,
                                   const dpl_depthwise_channel *c, int32_t y) {
    const dpl_window *w = &a->window;
    const int32_t missing = (y + 4 - p->rows) * c->planes->step;
    return c->planes->words == 2 && w->stride_width == 1 && w->stride_height == 1 &&
           w->dilation_height == 1 && missing <= dpl_spread_bytes(c->planes, w);
}

/* Sums, then one output after the other. */
static inline void dpl_block_any_rule(const dpl_depthwise_conv2d_s8_args *a, int32_t channel,
                                      int32_t *sums, dpl_depthwise_block *b) {
    for (; b->columns > 0; b->columns -= 4, b->row_at += b->next_columns) {
        const int32_t columns = b->columns < 4 ? b->columns : 4;
        dpl_depthwise_sums(b, sums);
        for (int32_t y = 0; y < 4; y++) {
            for (int32_t i = 0; i < columns; i++) {
                int32_t sum = sums[4 * y + i] + a->bias[channel];
                b->out[y][i * b->out_pixel] = (int8_t)dpl_requantize(&a->requant, sum, channel);
            }
            b->out[y] += 4 * b->out_pixel;
        }
    }
}

/* The first channel of a piece. */
static inline void dpl_any_channel(const dpl_depthwise_conv2d_s8_args *a, const dpl_piece *p,
                                   const dpl_depthwise_channel *c) {
    const int fast = a->requant.rule == DPL_I32 || a->requant.rule == DPL_SHIFT;
    dpl_depthwise_room *room = c->spread.room;
    dpl_enter_channel(a, c, &room->block);
    dpl_spread_taps(&c->spread, c->planes, &a->window, c->weights);
    const int32_t step = a->window.stride_height * c->planes->step;
    for (int32_t y = 0; y < p->rows; y += 4) {
        if (fast && y > 0 && y + 4 <= p->rows && a->output.ring_height == 0) {
            dpl_point_next_rows(a, p->columns, step, &room->block);
        } else {
            dpl_point_rows(a, p, c, y, &room->block);
        }
        if (fast && dpl_by_two_words(a, p, c, y)) {
            dpl_depthwise_two_words(&room->block);
        } else if (fast) {
            dpl_depthwise_blocks(&room->block);
        } else {
            dpl_block_any_rule(a, p->channel, room->sums, &room->block);
        }
    }
}

typedef struct {
    dpl_planes planes;
    dpl_transpose transpose;
    dpl_depthwise_channel channel;
    int8_t *copy; /* the planes */
} dpl_any_layer;

static inline void dpl_enter_any(const dpl_depthwise_conv2d_s8_args *a, dpl_any_layer *l) {
    const dpl_window *w = &a->window;
    l->planes = dpl_planes_of(w, a->output.height, a->output.width);
    const int32_t bytes = l->planes.bytes + dpl_spread_bytes(&l->planes, w);
    l->copy = dpl_enter_transposes(a, &l->planes, bytes, &l->transpose);
    l->channel.planes = &l->planes;
    l->channel.spread = dpl_spread_in(l->copy + l->planes.bytes, &l->planes, w);
    l->channel.weight_bytes = dpl_round_up_4(w->kernel_height * w->kernel_width) + 12;
}

static inline void dpl_any_piece(const dpl_depthwise_conv2d_s8_args *a, dpl_any_layer *l,
                                 dpl_piece *p) {
    const int32_t multiplier = a->output.channels / a->input.channels;
    const int32_t strips = dpl_round_up_4(p->columns) >> 2;
    const int32_t first = p->channel, end = first + p->channels;
    dpl_depthwise_channel *c = &l->channel;
    l->transpose.to = l->copy;
    l->transpose.columns = 4 * ((strips - 1) * a->window.stride_width + l->planes.words);
    l->transpose.groups = 1;
    dpl_transpose_piece(a, &l->transpose, p,
                        (p->rows - 1) * a->window.stride_height + l->planes.tall);
    for (; p->channel < end; p->channel++) {
        const int32_t read = multiplier == 1 ? p->channel : p->channel / multiplier;
        c->plane = l->copy + (read - p->first) * l->planes.pitch;
        c->weights = a->weights + p->channel * c->weight_bytes;
        dpl_any_channel(a, p, c);
    }
    p->channel = first;
}

/* Rows y to end - 1 of a group of four output channels. */
static inline void dpl_any_band(const dpl_depthwise_conv2d_s8_args *a, dpl_any_layer *l,
                                int32_t group, int32_t y, int32_t end) {
    dpl_piece p = {.channel = DPL_PLANE * group};
    p.channels = dpl_least(DPL_PLANE, a->output.channels - p.channel);
    p.first = dpl_four_from(a, p.channel / (a->output.channels / a->input.channels));
    for (p.x = 0; p.x < a->output.width; p.x += l->planes.columns) {
        p.columns = dpl_least(l->planes.columns, a->output.width - p.x);
        for (p.y = y; p.y < end; p.y += l->planes.rows) {
            p.rows = dpl_least(l->planes.rows, end - p.y);
            dpl_any_piece(a, l, &p);
        }
    }
}

/* This core's share, rows in fours. Apart, so that the code of 3x3 stays together in the cache. */
__attribute__((noinline)) static void dpl_depthwise_any(const dpl_depthwise_conv2d_s8_args *a) {
    dpl_any_layer l;
    dpl_enter_any(a, &l);
    const int32_t fours = dpl_round_up_4(a->output.height) >> 2;
    const dpl_share share = dpl_core_share((dpl_round_up_4(a->output.channels) >> 2) * fours);
    int32_t group = share.begin / fours, y = share.begin - group * fours;
    for (int32_t left = share.end - share.begin, rows; left > 0; left -= rows, group++, y = 0) {
        rows = dpl_least(left, fours - y);
        dpl_any_band(a, &l, group, 4 * y, dpl_least(4 * (y + rows), a->output.height));
    }
}

#endif

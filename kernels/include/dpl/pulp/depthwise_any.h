/* Depthwise windows of any size, stride and dilation, and any rule: a channel of a piece. */
#ifndef DPL_PULP_DEPTHWISE_ANY_H
#define DPL_PULP_DEPTHWISE_ANY_H

#include "dpl/pulp/depthwise.h"
#include "dpl/pulp/planes.h"
#include "dpl/pulp/spread.h"

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

_Static_assert(sizeof(dpl_depthwise_room) <= DPL_ROOM, "room in scratch");

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
static inline void dpl_depthwise_any(const dpl_depthwise_conv2d_s8_args *a, const dpl_piece *p,
                                     const dpl_depthwise_channel *c) {
    const int fast = a->requant.rule == DPL_I32 || a->requant.rule == DPL_SHIFT;
    dpl_depthwise_room *room = c->spread.room;
    dpl_enter_channel(a, c, &room->block);
    dpl_spread_taps(&c->spread, c->planes, &a->window, c->weights);
    for (int32_t y = 0; y < p->rows; y += 4) {
        dpl_point_rows(a, p, c, y, &room->block);
        if (fast) {
            dpl_depthwise_blocks(&room->block);
        } else {
            dpl_block_any_rule(a, p->channel, room->sums, &room->block);
        }
    }
}

#endif

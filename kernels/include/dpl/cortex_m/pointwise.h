/* A convolution 1x1 at stride 1: a column is a pixel. */
#ifndef DPL_CORTEX_M_POINTWISE_H
#define DPL_CORTEX_M_POINTWISE_H

#include "dpl/cores.h"
#include "dpl/cortex_m/finish.h"

typedef struct {
    const tensor *input, *output;
    channel_job job;
    int32_t width; /* pixels of a row; of all where rows lie next to one another */
} pointwise_plan;

typedef struct {
    int32_t y, left; /* pixels of row y that are to come */
    const element *in;
    element *out;
} pointwise_cursor;

static inline int rows_joined(const tensor *t) {
    return t->ring_height == 0 && t->row_pitch == t->width * t->pixel_pitch;
}

static inline void begin_row(const pointwise_plan *p, pointwise_cursor *c, int32_t y) {
    c->y = y;
    c->left = p->width;
    c->in = row_of(p->input, y);
    c->out = row_of(p->output, y);
}

static inline void next_pixels(const pointwise_plan *p, pointwise_cursor *c, int32_t count) {
    c->in += count * p->input->pixel_pitch;
    c->out += count * p->output->pixel_pitch;
    c->left -= count;
    if (c->left == 0) {
        begin_row(p, c, c->y + 1);
    }
}

/* A missing pixel repeats the address before it, where the right sums are written last. */
static inline int32_t split_triple(const pointwise_plan *p, pointwise_cursor *c, int32_t left,
                                   uint32_t *to, three_pixels *out) {
    const int32_t pixels = left < COLUMNS ? left : COLUMNS, depth = p->input->channels;
    int32_t distance[COLUMNS] = {0, 0, 0};
    out->at = c->out;
    for (int32_t i = 0; i < pixels; i++) {
        widen(c->in, to + i, depth);
        distance[i] = (int32_t)(c->out - out->at);
        next_pixels(p, c, 1);
    }
    for (int32_t i = pixels; i < COLUMNS; i++) {
        fill(to + i, 0, depth);
        distance[i] = distance[i - 1];
    }
    out->second = distance[1];
    out->third = distance[2];
    return pixels;
}

static inline int32_t make_triple(const pointwise_plan *p, pointwise_cursor *c, int32_t left,
                                  uint32_t *to, three_pixels *out) {
    const int32_t pitch = p->input->pixel_pitch;
    if (c->left < COLUMNS || left < COLUMNS) {
        return split_triple(p, c, left, to, out);
    }
    widen_three(c->in, c->in + pitch, c->in + 2 * pitch, to, p->input->channels);
    out->at = c->out;
    out->second = p->output->pixel_pitch;
    out->third = 2 * p->output->pixel_pitch;
    next_pixels(p, c, COLUMNS);
    return COLUMNS;
}

/* `weights`: packed pairs. */
static inline void convolve_points(const tensor *input, const tensor *output,
                                   const uint32_t *weights, const dpl_requant *requant,
                                   uint32_t *strip) {
    const int32_t depth = input->channels, words = depth / 4 * WORDS_OF_FOUR;
    const strip_sizes sizes = sizes_of(depth, output->channels);
    const dpl_share rows = dpl_core_share(output->height);
    pointwise_plan p = {
        input, output, {weights, requant, words, output->channels, 0}, output->width};
    int32_t left = (rows.end - rows.begin) * output->width;
    three_pixels out[DPL_MAX_STRIP_TRIPLES];
    pointwise_cursor c;
    if (rows_joined(input) && rows_joined(output)) {
        p.width = left;
    }
    begin_row(&p, &c, rows.begin);
    while (left > 0) {
        int32_t made = 0;
        for (; made < sizes.triples && left > 0; made++) {
            left -= make_triple(&p, &c, left, strip + made * words, out + made);
        }
        run_strip(&p.job, strip, made, sizes.part, out);
    }
}

#endif

/* A convolution of one group: im2col of three pixels at a time, weights in pairs of channels.
 *
 * Weights that do not stay in the data cache would come from flash for every three pixels. Then a
 * strip of columns is made first, and each part of the weights that does stay meets all of it.
 *
 * A kernel includes columns.h and high_s8.h, or those of int16, before it. */
#ifndef DPL_CORTEX_M_CONVOLVE_H
#define DPL_CORTEX_M_CONVOLVE_H

#include "dpl/cortex_m/convolution.h"
#include "dpl/cortex_m/im2col.h"

typedef struct {
    const convolution *v;
    dpl_columns columns;
    channel_job job;
    uint32_t *strip;
    strip_sizes sizes;
    dpl_span inner; /* output columns whose windows lie inside and are whole runs */
    int32_t step;   /* elements of the input from an output column to the next */
} convolution_plan;

static inline int32_t padded_values(const dpl_window *w, int32_t depth) {
    return (w->kernel_height * w->kernel_width * depth + 3) / 4 * 4;
}

/* Output columns x of `count` whose windows, `span` elements of a row, begin and end in the input's
 * rows. */
static inline dpl_span inner_columns(const convolution *v, int32_t span, int32_t step) {
    const tensor *in = v->input;
    const int32_t stride = v->window.stride_width, left = v->window.pads.left;
    const int32_t last = (in->width - 1 + left) * in->pixel_pitch + in->channels - span;
    dpl_span inner = {left > 0 ? (left + stride - 1) / stride : 0, last < 0 ? 0 : last / step + 1};
    inner.end = inner.end < v->columns.count ? inner.end : v->columns.count;
    return inner;
}

/* Runs of a kernel row, which are read in whole words, and the elements from first to last. */
static inline int32_t plan_runs(const convolution *v, dpl_columns *c) {
    const dpl_window *w = &v->window;
    c->run = c->row;
    c->pitch = w->dilation_width * v->input->pixel_pitch;
    if (c->pitch != c->depth) {
        c->run = c->depth;
    }
    if (is_one_run(c) && !c->aligned) {
        return c->padded;
    }
    const int32_t words = (c->run + ALIGNED - 1) / ALIGNED * ALIGNED;
    return (c->row - c->run) / c->depth * c->pitch + words;
}

static inline convolution_plan plan_convolution(const convolution *v) {
    const int32_t depth = v->input->channels, channels = v->output->channels;
    const int32_t padded = padded_values(&v->window, depth), words = padded / 4 * WORDS_OF_FOUR;
    convolution_plan p = {v,
                          {v->input, &v->window, v->input_zero, depth,
                           v->window.kernel_width * depth, padded, 0, 0, 0, v->scratch},
                          {v->weights, v->requant, words, channels, 0},
                          v->scratch,
                          sizes_of(padded, channels),
                          {0, 0},
                          v->window.stride_width * v->input->pixel_pitch};
    p.columns.aligned = depth % ALIGNED == 0;
    if (!p.columns.aligned) {
        p.strip += COLUMNS * (padded + ALIGNED) * (int32_t)sizeof(element) / 4;
    }
    p.inner = inner_columns(v, plan_runs(v, &p.columns), p.step);
    return p;
}

/* The walk over output pixels: y and x count the stripes. */
typedef struct {
    int32_t y, x;
    dpl_taps taps;
    dpl_span inner; /* columns of this row whose windows lie inside */
    element *out;
} convolution_cursor;

static inline void begin_row(const convolution_plan *p, convolution_cursor *c, int32_t y) {
    const convolution *v = p->v;
    const dpl_span none = {0, 0};
    c->y = y;
    c->x = 0;
    c->taps = taps_of_row(v->input, &v->window, y);
    c->inner = c->taps.y.end - c->taps.y.begin == v->window.kernel_height ? p->inner : none;
    c->out = row_of(v->output, v->rows.first + y * v->rows.step) +
             v->columns.first * v->output->pixel_pitch;
}

static inline void next_pixels(const convolution_plan *p, convolution_cursor *c, int32_t count) {
    c->out += count * p->v->columns.step * p->v->output->pixel_pitch;
    c->x += count;
    if (c->x == p->v->columns.count) {
        begin_row(p, c, c->y + 1);
    }
}

/* The window of the cursor's pixel into a column of a triple. */
static inline void make_column(const convolution_plan *p, convolution_cursor *c, uint32_t *to) {
    taps_of_column(&c->taps, p->v->input, &p->v->window, c->x);
    if (p->columns.aligned) {
        aligned_column(&p->columns, &c->taps, to);
    } else {
        gathered_column(&p->columns, &c->taps, to);
    }
}

/* Columns of up to three pixels; a missing one is zero and repeats the address before it, where the
 * right sums are written last. */
static __attribute__((noinline)) int32_t split_triple(const convolution_plan *p,
                                                      convolution_cursor *c, int32_t left,
                                                      uint32_t *to, three_pixels *out) {
    const int32_t pixels = left < COLUMNS ? left : COLUMNS;
    int32_t distance[COLUMNS] = {0, 0, 0};
    out->at = c->out;
    for (int32_t i = 0; i < pixels; i++) {
        make_column(p, c, to + i);
        distance[i] = (int32_t)(c->out - out->at);
        next_pixels(p, c, 1);
    }
    for (int32_t i = pixels; i < COLUMNS; i++) {
        fill(to + i, 0, p->columns.padded);
        distance[i] = distance[i - 1];
    }
    out->second = distance[1];
    out->third = distance[2];
    return pixels;
}

static inline int32_t make_triple(const convolution_plan *p, convolution_cursor *c, int32_t left,
                                  uint32_t *to, three_pixels *out) {
    const convolution *v = p->v;
    if (c->x < c->inner.begin || c->x + COLUMNS > c->inner.end) {
        return split_triple(p, c, left, to, out);
    }
    const int32_t start = c->x * p->step - v->window.pads.left * v->input->pixel_pitch;
    const element *from = v->input->data + start;
    if (p->columns.run == p->columns.row) {
        inner_three(&p->columns, c->taps.rows, from, p->step, to);
    } else {
        apart_three(&p->columns, c->taps.rows, from, p->step, to);
    }
    out->at = c->out;
    out->second = v->columns.step * v->output->pixel_pitch;
    out->third = 2 * out->second;
    next_pixels(p, c, COLUMNS);
    return COLUMNS;
}

static inline void convolve_plan(const convolution *v, const convolution_plan *p) {
    three_pixels out[DPL_MAX_STRIP_TRIPLES];
    convolution_cursor c;
    begin_row(p, &c, 0);
    for (int32_t left = v->rows.count * v->columns.count; left > 0;) {
        int32_t made = 0;
        for (; made < p->sizes.triples && left > 0; made++) {
            left -= make_triple(p, &c, left, p->strip + made * p->job.words, out + made);
        }
        run_strip(&p->job, p->strip, made, p->sizes.part, out);
    }
}

static inline void convolve(const convolution *v) {
    const convolution_plan p = plan_convolution(v);
    convolve_plan(v, &p);
}

#endif

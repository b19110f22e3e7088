/* A convolution of one group: im2col of three pixels at a time, weights in pairs of channels.
 *
 * Weights that do not stay in the data cache would come from flash for every three pixels. Then a
 * strip of columns is made first, and each part of the weights that does stay meets all of it.
 *
 * The outputs may be every so many rows and columns of a tensor: a transposed convolution is one
 * convolution for each remainder of its stride. */
#ifndef DPL_CORTEX_M_CONVOLVE_H
#define DPL_CORTEX_M_CONVOLVE_H

#include "dpl/cortex_m/finish.h"

/* Keep in step with deployer/kernelset/cortex_m.py. */
enum { STRIP_BYTES = 8192, CACHED_WEIGHTS = 8192, MOST_TRIPLES = 32 };

/* Every `step`th of the output's rows or columns from `first` on, `count` of them. */
typedef struct {
    int32_t first, step, count;
} stripes;

typedef struct {
    const dpl_tensor_s8 *input, *output;
    dpl_window window;
    int32_t input_zero;
    const uint32_t *weights; /* layout "pairs" */
    const dpl_requant *requant;
    void *scratch;
    stripes rows, columns;
} convolution;

typedef struct {
    const convolution *v;
    dpl_columns columns;
    channel_job job;
    uint32_t *strip;
    int32_t triples; /* a strip holds */
    int32_t part;    /* channels whose weights stay in the cache, even */
} convolution_plan;

static inline int32_t padded_values(const dpl_window *w, int32_t depth) {
    return (w->kernel_height * w->kernel_width * depth + 3) / 4 * 4;
}

static inline convolution_plan plan_convolution(const convolution *v) {
    const int32_t depth = v->input->channels, channels = v->output->channels;
    const int32_t padded = padded_values(&v->window, depth), words = padded / 4 * WORDS_OF_FOUR;
    convolution_plan p = {v,
                          {v->input, &v->window, v->input_zero, depth,
                           v->window.kernel_width * depth, padded, 0, 0, v->scratch},
                          {v->weights, v->requant, words, channels},
                          v->scratch,
                          1,
                          channels};
    p.columns.aligned = depth % 4 == 0;
    p.columns.merged = v->window.dilation_width == 1 && v->input->pixel_pitch == depth;
    p.strip += p.columns.aligned ? 0 : padded / 4;
    if (padded * channels > CACHED_WEIGHTS && STRIP_BYTES / 4 > words) {
        const int32_t triples = STRIP_BYTES / 4 / words;
        p.triples = triples < MOST_TRIPLES ? triples : MOST_TRIPLES;
        p.part = CACHED_WEIGHTS / padded / 2 * 2;
    }
    return p;
}

/* The walk over output pixels: y and x count the stripes. */
typedef struct {
    int32_t y, x;
    dpl_taps taps;
    int8_t *out;
} convolution_cursor;

static inline void begin_row(const convolution *v, convolution_cursor *c, int32_t y) {
    c->y = y;
    c->x = 0;
    c->taps = dpl_taps_of_row(v->input, &v->window, y);
    c->out = dpl_row_s8(v->output, v->rows.first + y * v->rows.step) +
             v->columns.first * v->output->pixel_pitch;
}

static inline void next_pixel(const convolution *v, convolution_cursor *c) {
    c->out += v->columns.step * v->output->pixel_pitch;
    if (++c->x == v->columns.count) {
        begin_row(v, c, c->y + 1);
    }
}

/* Columns of up to three pixels; a missing one is zero and repeats the address before it, where the
 * right sums are written last. */
static inline int32_t make_triple(const convolution_plan *p, convolution_cursor *c, int32_t left,
                                  uint32_t *to, three_pixels *out) {
    const int32_t pixels = left < COLUMNS ? left : COLUMNS;
    for (int32_t i = 0; i < pixels; i++) {
        make_column(&p->columns, &c->taps, c->x, to + i);
        out->at[i] = c->out;
        next_pixel(p->v, c);
    }
    for (int32_t i = pixels; i < COLUMNS; i++) {
        fill(to + i, 0, p->columns.padded);
        out->at[i] = out->at[i - 1];
    }
    return pixels;
}

static inline void run_strip(const convolution_plan *p, const three_pixels *out, int32_t triples) {
    const int32_t channels = p->v->output->channels;
    for (int32_t first = 0; first < channels; first += p->part) {
        const int32_t end = first + p->part < channels ? first + p->part : channels;
        const uint32_t *columns = p->strip;
        for (int32_t i = 0; i < triples; i++, columns += p->job.words) {
            channels_of_three(&p->job, columns, first, end, out + i);
        }
    }
}

static inline void convolve(const convolution *v) {
    const convolution_plan p = plan_convolution(v);
    three_pixels out[MOST_TRIPLES];
    convolution_cursor c;
    begin_row(v, &c, 0);
    for (int32_t left = v->rows.count * v->columns.count; left > 0;) {
        int32_t made = 0;
        for (; made < p.triples && left > 0; made++) {
            left -= make_triple(&p, &c, left, p.strip + made * p.job.words, out + made);
        }
        run_strip(&p, out, made);
    }
}

#endif

/* A convolution of one group on copies of input rows: as many as the kernel has lie in a ring, with
 * zero points at both sides, so that every window lies inside.
 *
 * A kernel row is then one run of channels, whatever their number: it is widened in whole words, up
 * to three values too many, which meet weights of zero (layout "x2c4_rows"). Neither sides nor
 * channels that fill no words cost more than the copy of a row, which all its windows share.
 *
 * Dilation is 1, pads may be negative. A kernel includes columns.h and high_s8.h, or those of
 * int16, before it. */
#ifndef DPL_CORTEX_M_ROWS_H
#define DPL_CORTEX_M_ROWS_H

#include "dpl/cortex_m/convolution.h"

typedef struct {
    const convolution *v;
    channel_job job;
    strip_sizes sizes;
    int32_t run;     /* values of a kernel row, filled up */
    int32_t step;    /* elements from a window to the next */
    int32_t row;     /* elements of a copy */
    element *copies; /* the ring */
    uint32_t *strip;
} rows_plan;

/* The next output pixel; `first`: the copy of the first row of its windows, at its column;
 * `copied`: rows from the first padded one on. */
typedef struct {
    int32_t y, x, copied;
    const element *first;
    int32_t wraps; /* rows from there to the end of the ring */
    element *out;
} rows_cursor;

static inline int32_t in_fours(int32_t values) {
    return (values + 3) / 4 * 4;
}

/* Pixels of input row y, which may be outside, from `-left` on. */
static inline void copy_row(const rows_plan *p, int32_t y, element *to) {
    const tensor *t = p->v->input;
    const int32_t depth = t->channels, zero = p->v->input_zero, left = p->v->window.pads.left;
    const int32_t all = p->row / depth, outside = y < 0 || y >= t->height;
    const int32_t begin = left < 0 ? 0 : left < all ? left : all;
    const int32_t end = outside ? begin : t->width + left < all ? t->width + left : all;
    const element *from = outside ? t->data : row_of(t, y) + (begin - left) * t->pixel_pitch;
    to = fill_values(to, zero, begin * depth);
    if (t->pixel_pitch == depth && end > begin) {
        to = copy_values(to, from, (end - begin) * depth);
    } else {
        for (int32_t x = begin; x < end; x++, from += t->pixel_pitch) {
            to = copy_values(to, from, depth);
        }
    }
    fill_values(to, zero, p->row - (end > begin ? end : begin) * depth);
}

/* Before the first pixel of a row of outputs: copies what its windows reach anew. */
static inline void copy_rows(const rows_plan *p, rows_cursor *c) {
    const dpl_window *w = &p->v->window;
    const int32_t height = w->kernel_height, first = c->y * w->stride_height;
    for (int32_t i = first > c->copied ? first : c->copied; i < first + height; i++) {
        copy_row(p, i - w->pads.top, p->copies + i % height * p->row);
    }
    c->copied = first + height;
    c->wraps = height - first % height;
    c->first = p->copies + (height - c->wraps) * p->row;
}

static inline void begin_row(const rows_plan *p, rows_cursor *c, int32_t y) {
    const convolution *v = p->v;
    c->y = y;
    c->x = 0;
    c->out = row_of(v->output, v->rows.first + y * v->rows.step) +
             v->columns.first * v->output->pixel_pitch;
}

static inline void next_pixels(const rows_plan *p, rows_cursor *c, int32_t count) {
    c->out += count * p->v->columns.step * p->v->output->pixel_pitch;
    c->x += count;
    c->first += count * p->step;
    if (c->x == p->v->columns.count) {
        begin_row(p, c, c->y + 1);
    }
}

/* Elements from a copy to that of the row below; `above`: rows of the window up to there. */
static inline int32_t to_next_row(const rows_plan *p, const rows_cursor *c, int32_t above) {
    return above == c->wraps ? p->row - p->v->window.kernel_height * p->row : p->row;
}

/* A column at a time, where a row of outputs ends; a missing one is zero and repeats the address
 * before it, where the right sums are written last. */
static inline int32_t split_rows(const rows_plan *p, rows_cursor *c, int32_t left, uint32_t *to,
                                 three_pixels *out) {
    const int32_t pixels = left < COLUMNS ? left : COLUMNS, height = p->v->window.kernel_height;
    int32_t distance[COLUMNS] = {0, 0, 0};
    out->at = c->out;
    for (int32_t i = 0; i < pixels; i++) {
        if (c->x == 0) {
            copy_rows(p, c);
        }
        const element *from = c->first;
        uint32_t *at = to + i;
        for (int32_t y = 1; y <= height; y++) {
            at = widen(from, at, p->run);
            from += to_next_row(p, c, y);
        }
        distance[i] = (int32_t)(c->out - out->at);
        next_pixels(p, c, 1);
    }
    for (int32_t i = pixels; i < COLUMNS; i++) {
        fill(to + i, 0, height * p->run);
        distance[i] = distance[i - 1];
    }
    out->second = distance[1];
    out->third = distance[2];
    return pixels;
}

static inline int32_t triple_of_rows(const rows_plan *p, rows_cursor *c, int32_t left, uint32_t *to,
                                     three_pixels *out) {
    const convolution *v = p->v;
    if (c->x + COLUMNS > v->columns.count) {
        return split_rows(p, c, left, to, out);
    }
    if (c->x == 0) {
        copy_rows(p, c);
    }
    const element *from = c->first;
    for (int32_t y = 1; y <= v->window.kernel_height; y++) {
        to = widen_three(from, from + p->step, from + 2 * p->step, to, p->run);
        from += to_next_row(p, c, y);
    }
    out->at = c->out;
    out->second = v->columns.step * v->output->pixel_pitch;
    out->third = 2 * out->second;
    next_pixels(p, c, COLUMNS);
    return COLUMNS;
}

/* `blocks`: outputs that share their columns. Into `p` rather than by value, which gcc returns by a
 * call of memcpy. */
static inline void plan_rows(const convolution *v, int32_t blocks, rows_plan *p) {
    const dpl_window *w = &v->window;
    const int32_t depth = v->input->channels, channels = v->output->channels;
    const int32_t run = in_fours(w->kernel_width * depth), values = w->kernel_height * run;
    p->v = v;
    p->job = (channel_job){v->weights, v->requant, values / 4 * WORDS_OF_FOUR, channels, 0};
    p->sizes = sizes_of(values, channels);
    p->sizes.triples = sizes_of(values, channels * blocks).triples;
    p->run = run;
    p->step = w->stride_width * depth;
    p->row = in_fours((v->columns.count - 1) * p->step + run);
    p->copies = v->scratch;
    p->strip = (uint32_t *)v->scratch + w->kernel_height * p->row * (int32_t)sizeof(element) / 4;
}

/* Columns made once for `down` times `across` outputs beside one another, each with weights of its
 * own. */
static inline void convolve_rows(const rows_plan *p, int32_t down, int32_t across) {
    const convolution *v = p->v;
    const int32_t channels = v->output->channels;
    const int32_t each = (channels + 1) / 2 * piece_words(p->job.words);
    three_pixels to[DPL_MAX_STRIP_TRIPLES];
    rows_cursor c = {0, 0, 0, p->copies, 0, v->output->data};
    begin_row(p, &c, 0);
    for (int32_t left = v->rows.count * v->columns.count; left > 0;) {
        int32_t made = 0, moved = 0;
        for (; made < p->sizes.triples && left > 0; made++) {
            left -= triple_of_rows(p, &c, left, p->strip + made * p->job.words, to + made);
        }
        for (int32_t i = 0; i < down * across; i++) {
            const int32_t offset =
                i / across * v->output->row_pitch + i % across * v->output->pixel_pitch;
            channel_job job = p->job;
            job.weights += i * each;
            move_all(to, made, offset - moved);
            run_strip(&job, p->strip, made, p->sizes.part, to);
            moved = offset + channels;
        }
    }
}

#endif

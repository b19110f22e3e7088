/* A grouped convolution as dense ones, its parts, on columns made once.
 *
 * A part computes the output channels of one group or of several from their input channels: fours
 * of them and maybe two more, of which two taps make four values. Weights are zero where a channel
 * is another group's. How many groups a part has, the layout "x2c4_parts" says in its first word.
 * Columns of a strip of pixels are made for all parts before the first output is written; then
 * every part meets its own.
 *
 * Values of a column are in the order (part, four channels, tap), so that a tap's fours of channels
 * lie at one distance: all of a pixel's are widened by one loop. Behind a part's fours are its two
 * channels, in the order (two taps). Taps outside the input read a pixel of zero points.
 *
 * Pairs of outputs are computed whole: the second of an odd number is the next part's first, which
 * that part writes again. */
#ifndef DPL_CORTEX_M_PARTS_H
#define DPL_CORTEX_M_PARTS_H

#include "dpl/cortex_m/convolve.h"

typedef struct {
    convolution_plan walk; /* over the output's pixels, of which columns are made here */
    const element *outside;
    int32_t groups, together; /* in all, in a part */
    int32_t group_depth, group_channels;
    int32_t count, regular; /* parts; those that begin where the one before ends its groups */
    int32_t fours, half;    /* input channels of a part: fours, and whether two more */
    int32_t taps;
    int32_t triples; /* a strip holds */
    int32_t cached;  /* output channels, even, whose weights stay in the cache */
    int32_t words;   /* of a triple's columns for a part */
    channel_steps outer, inner;
} parts_plan;

static inline int32_t at_most(int32_t x, int32_t most) {
    return x < most ? x : most;
}

static inline int32_t first_group(const parts_plan *p, int32_t part) {
    return at_most(part * p->together, p->groups - p->together);
}

static inline int32_t first_input(const parts_plan *p, int32_t part) {
    const int32_t last = p->walk.v->input->channels - 4 * p->fours - 2 * p->half;
    return at_most(first_group(p, part) * p->group_depth, last);
}

/* A tap of three pixels. */
typedef struct {
    const element *at[COLUMNS];
} three_taps;

/* The fours of a tap for all parts. */
static __attribute__((noinline)) void fours_of_tap(const parts_plan *p, const three_taps *tap,
                                                   uint32_t *to) {
    const element *const x = tap->at[0], *const y = tap->at[1], *const z = tap->at[2];
    const channel_steps fours = {p->fours, 4, p->taps * WORDS_OF_FOUR};
    for (int32_t i = 0; i < p->outer.count; i++) {
        const int32_t from = i * p->outer.from;
        three_fours(x + from, y + from, z + from, to + i * p->outer.to, p->inner);
    }
    for (int32_t part = p->regular; part < p->count; part++) {
        const int32_t from = first_input(p, part);
        three_fours(x + from, y + from, z + from, to + part * p->triples * p->words, fours);
    }
}

/* The two channels of two taps for all parts: pairs of the regular ones, then the others. */
static __attribute__((noinline)) void halves_of_taps(const parts_plan *p, const three_taps *tap,
                                                     const three_taps *next, uint32_t *to) {
    const int32_t between = p->triples * p->words, behind = 4 * p->fours;
    const int32_t even = p->regular - (p->regular & 1);
    const channel_steps pairs = {even, p->together * p->group_depth, between};
    for (int32_t i = 0; i < COLUMNS && even > 0; i++) {
        two_taps_of(tap->at[i] + behind, next->at[i] + behind, to + i, pairs);
    }
    for (int32_t part = even; part < p->count; part++) {
        const int32_t from = first_input(p, part) + behind;
        uint32_t *const at = to + part * between;
        for (int32_t i = 0; i < COLUMNS; i++) {
            two_taps(tap->at[i] + from, next->at[i] + from, at + i);
        }
    }
}

/* The taps that are made columns of, one after the other. */
typedef struct {
    uint32_t *fours, *halves; /* of the next tap; of the next two */
    three_taps last;          /* one that waits for the next */
    int32_t waits;
} tap_columns;

static inline void begin_taps(const parts_plan *p, tap_columns *c, uint32_t *to) {
    c->fours = to;
    c->halves = to + p->fours * p->taps * WORDS_OF_FOUR;
    c->waits = 0;
}

static inline void end_taps(const parts_plan *p, tap_columns *c, const three_taps *next) {
    halves_of_taps(p, &c->last, next, c->halves);
    c->halves += WORDS_OF_FOUR;
    c->waits = 0;
}

static inline void add_tap(const parts_plan *p, tap_columns *c, const three_taps *tap) {
    if (p->fours > 0) {
        fours_of_tap(p, tap, c->fours);
        c->fours += WORDS_OF_FOUR;
    }
    if (c->waits) {
        end_taps(p, c, tap);
    } else if (p->half) {
        c->last = *tap;
        c->waits = 1;
    }
}

/* An odd number's last meets weights of zero with the second half of its words. */
static inline void end_columns(const parts_plan *p, tap_columns *c) {
    if (c->waits) {
        const three_taps last = c->last;
        end_taps(p, c, &last);
    }
}

static inline const element *tap_at(const parts_plan *p, int32_t y, int32_t x) {
    const tensor *t = p->walk.v->input;
    if ((uint32_t)y >= (uint32_t)t->height || (uint32_t)x >= (uint32_t)t->width) {
        return p->outside;
    }
    return row_of(t, y) + x * t->pixel_pitch;
}

/* Pixels whose windows begin at rows y and columns x of the input. */
static inline void columns_of_origins(const parts_plan *p, const int32_t *y, const int32_t *x,
                                      tap_columns *columns) {
    const dpl_window *w = &p->walk.v->window;
    for (int32_t ky = 0, down = 0; ky < w->kernel_height; ky++, down += w->dilation_height) {
        for (int32_t kx = 0, right = 0; kx < w->kernel_width; kx++, right += w->dilation_width) {
            three_taps tap;
            for (int32_t i = 0; i < COLUMNS; i++) {
                tap.at[i] = tap_at(p, y[i] + down, x[i] + right);
            }
            add_tap(p, columns, &tap);
        }
    }
}

/* Up to three pixels wherever they are; a missing one reads zero points, and its address is that of
 * the one before, where the right sums are written last. */
static inline int32_t split_parts(const parts_plan *p, convolution_cursor *c, int32_t left,
                                  tap_columns *columns, three_pixels *out) {
    const dpl_window *w = &p->walk.v->window;
    const int32_t pixels = at_most(left, COLUMNS);
    int32_t y[COLUMNS], x[COLUMNS], distance[COLUMNS] = {0, 0, 0};
    out->at = c->out;
    for (int32_t i = 0; i < COLUMNS; i++) {
        if (i >= pixels) {
            y[i] = p->walk.v->input->height;
            x[i] = 0;
            distance[i] = distance[i - 1];
            continue;
        }
        y[i] = c->y * w->stride_height - w->pads.top;
        x[i] = c->x * w->stride_width - w->pads.left;
        distance[i] = (int32_t)(c->out - out->at);
        next_pixels(&p->walk, c, 1);
    }
    out->second = distance[1];
    out->third = distance[2];
    columns_of_origins(p, y, x, columns);
    return pixels;
}

/* Three neighbours inside. */
static inline void inner_parts(const parts_plan *p, const convolution_cursor *c,
                               tap_columns *columns) {
    const convolution *v = p->walk.v;
    const int32_t pitch = v->input->pixel_pitch, step = p->walk.step;
    const element *from = v->input->data + c->x * step - v->window.pads.left * pitch;
    dpl_row_walk rows = c->taps.rows;
    for (int32_t ky = v->window.kernel_height; ky > 0; ky--, dpl_next_row(&rows)) {
        const element *tap = from + rows.offset;
        for (int32_t kx = v->window.kernel_width; kx > 0; kx--) {
            const three_taps three = {{tap, tap + step, tap + 2 * step}};
            add_tap(p, columns, &three);
            tap += v->window.dilation_width * pitch;
        }
    }
}

static inline int32_t triple_of_parts(const parts_plan *p, convolution_cursor *c, int32_t left,
                                      uint32_t *to, three_pixels *out) {
    const convolution *v = p->walk.v;
    tap_columns columns;
    begin_taps(p, &columns, to);
    if (c->x < c->inner.begin || c->x + COLUMNS > c->inner.end) {
        const int32_t pixels = split_parts(p, c, left, &columns, out);
        end_columns(p, &columns);
        return pixels;
    }
    inner_parts(p, c, &columns);
    end_columns(p, &columns);
    out->at = c->out;
    out->second = v->columns.step * v->output->pixel_pitch;
    out->third = 2 * out->second;
    next_pixels(&p->walk, c, COLUMNS);
    return COLUMNS;
}

/* All outputs of a strip, part after part. */
static inline void run_parts(const parts_plan *p, const uint32_t *strip, int32_t made,
                             three_pixels *out) {
    const int32_t channels = p->together * p->group_channels, even = channels + (channels & 1);
    const int32_t pieces = even / 2 * piece_words(p->words);
    const uint32_t *w = p->walk.v->weights + 1;
    for (int32_t part = 0, at = 0; part < p->count; part++, w += pieces) {
        const int32_t first = first_group(p, part) * p->group_channels;
        const int32_t count = part + 1 < p->count ? even : channels;
        high_job high = {w, w + pieces, strip, p->words, 0, out, made};
        move_all(out, made, first - at);
        if (count < even || p->cached < channels || !by_high_words(p->walk.v->requant, &high)) {
            dpl_requant requant = *p->walk.v->requant;
            const channel_job job = {w, &requant, p->words, count, 0};
            dpl_requant_from(&requant, first);
            channels_in_parts(&job, strip, made, p->cached, out);
        }
        at = first + count;
        strip += p->triples * p->words;
    }
    bound_outputs(p->walk.v->requant, out, made, p->groups * p->group_channels);
}

static inline int32_t window_run(const convolution *v) {
    const int32_t gaps = (v->window.kernel_width - 1) * v->window.dilation_width;
    return gaps * v->input->pixel_pitch + v->input->channels;
}

/* A strip's triples, and the channels of a part whose weights stay in the cache. */
static inline void plan_strip(parts_plan *p, int32_t values) {
    const int32_t channels = p->together * p->group_channels, all = values * p->count;
    const int32_t pixels = p->walk.v->rows.count * p->walk.v->columns.count;
    const int cached = all * channels <= DPL_CACHED_WEIGHT_BYTES;
    const int32_t room = cached ? DPL_PART_STRIP_BYTES : DPL_STRIP_BYTES;
    const int32_t fit = at_most(room / (2 * COLUMNS * all), DPL_MAX_STRIP_TRIPLES);
    p->triples = at_most(fit > 1 ? fit : 1, (pixels + COLUMNS - 1) / COLUMNS);
    p->cached = channels + (channels & 1);
    if (values * channels > DPL_CACHED_WEIGHT_BYTES && p->triples > 1) {
        p->cached = DPL_CACHED_WEIGHT_BYTES / values / 2 * 2;
    }
}

/* The inner loop goes over the more of parts and fours of a part. */
static inline void plan_steps(parts_plan *p) {
    const channel_steps parts = {p->regular, p->together * p->group_depth, p->triples * p->words};
    const channel_steps within = {p->fours, 4, p->taps * WORDS_OF_FOUR};
    p->outer = p->regular < p->fours ? parts : within;
    p->inner = p->regular < p->fours ? within : parts;
}

/* Into `p` rather than by value, which gcc returns by a call of memcpy. */
static inline void plan_parts(const convolution *v, int32_t groups, parts_plan *p) {
    const int32_t channels = v->input->channels;
    p->walk.v = v;
    p->walk.step = v->window.stride_width * v->input->pixel_pitch;
    p->walk.inner = inner_columns(v, window_run(v), p->walk.step);
    p->groups = groups;
    p->together = (int32_t)v->weights[0];
    p->group_depth = channels / groups;
    p->group_channels = v->output->channels / groups;
    p->count = (groups + p->together - 1) / p->together;
    const int32_t span = p->together * p->group_depth;
    p->taps = v->window.kernel_height * v->window.kernel_width;
    p->fours = (span + 1) / 4;
    p->half = span > 4 * p->fours;
    p->regular =
        1 + at_most(groups / p->together - 1, (channels - 4 * p->fours - 2 * p->half) / span);
    p->words = (p->fours * p->taps + p->half * ((p->taps + 1) / 2)) * WORDS_OF_FOUR;
    p->outside = v->scratch;
    plan_strip(p, p->words * 4 / WORDS_OF_FOUR);
    plan_steps(p);
}

static inline const uint32_t *weights_behind(const parts_plan *p) {
    const int32_t pairs = (p->together * p->group_channels + 1) / 2;
    return p->walk.v->weights + 1 + p->count * pairs * piece_words(p->words);
}

static inline void convolve_parts(const parts_plan *p) {
    const convolution *v = p->walk.v;
    const int32_t pixel = (v->input->channels * (int32_t)sizeof(element) + 3) / 4;
    uint32_t *const strip = (uint32_t *)v->scratch + pixel;
    three_pixels out[DPL_MAX_STRIP_TRIPLES];
    convolution_cursor c;
    fill_values(v->scratch, v->input_zero, v->input->channels);
    begin_row(&p->walk, &c, 0);
    for (int32_t left = v->rows.count * v->columns.count; left > 0;) {
        int32_t made = 0;
        for (; made < p->triples && left > 0; made++) {
            left -= triple_of_parts(p, &c, left, strip + made * p->words, out + made);
        }
        run_parts(p, strip, made, out);
    }
}

#endif

/* Input rows and weights packed as dpl/cortex_m/planes.h says. */
#ifndef DPL_CORTEX_M_PLANES_PACK_H
#define DPL_CORTEX_M_PLANES_PACK_H

#include "dpl/cortex_m/planes.h"

/* Words of a line: word i has columns first + i * step and `apart` more; those inside lie in the
 * input, both columns. */
typedef struct {
    int32_t first, step, apart, count, begin, end;
} line;

/* Steps from `first` to the first column that is not less than `bound`. */
static inline int32_t steps_to(int32_t first, int32_t step, int32_t bound) {
    return first < bound ? (bound - first + step - 1) / step : 0;
}

static inline line line_of(const plan *p, int32_t n) {
    const dpl_window *w = &p->v->window;
    const int32_t dilation = w->dilation_width;
    line l = {-w->pads.left, w->stride_width, dilation, 0, 0, 0};
    if (p->f.sliding) {
        l.first += n;
        l.step = 2 * dilation;
        l.count = (outputs_of_phase(p, n) - 1) / 2 + w->kernel_width / 2 + 1;
    } else {
        l.first += 2 * n * dilation;
        l.count = p->v->columns.count + p->f.terms - 1;
        l.apart = 2 * n + 1 < w->kernel_width || p->f.terms > 1 ? dilation : 0;
    }
    l.begin = least(steps_to(l.first, l.step, 0), l.count);
    l.end = least(steps_to(l.first, l.step, p->v->input.width - l.apart), l.count);
    l.end = most(l.end, l.begin);
    return l;
}

/* Elements from a pair to the next, and within a pair. */
typedef struct {
    int32_t step, apart;
} two_steps;

/* `count` pairs of elements, `apart` from one another, `step` from pair to pair. Four pairs are
 * loaded before the first is stored, so that no load waits. */
static __attribute__((noinline)) void pack_pairs(const element *from, int32_t step, int32_t apart,
                                                 int32_t count, uint32_t *to) {
    const element *other = from + apart;
    for (; count >= 4; count -= 4, to += 4) {
        const int32_t a = *from, b = *other;
        from += step;
        other += step;
        const int32_t c = *from, d = *other;
        from += step;
        other += step;
        const int32_t e = *from, f = *other;
        from += step;
        other += step;
        const int32_t g = *from, h = *other;
        from += step;
        other += step;
        to[0] = low_halves((uint32_t)a, (uint32_t)b);
        to[1] = low_halves((uint32_t)c, (uint32_t)d);
        to[2] = low_halves((uint32_t)e, (uint32_t)f);
        to[3] = low_halves((uint32_t)g, (uint32_t)h);
    }
    for (; count > 0; count--, from += step, other += step) {
        *to++ = low_halves((uint32_t)*from, (uint32_t)*other);
    }
}

/* The same of four channels, whose words are `next` apart. */
static __attribute__((noinline)) void pack_fours(const element *from, two_steps steps,
                                                 int32_t count, int32_t next, uint32_t *to) {
    for (; count > 0; count--, from += steps.step) {
        pack_four(from, from + steps.apart, next, to++);
    }
}

/* Pairs of all channels of a group: fours, the last of which may compute channels again. */
static inline void pack_channels(const element *from, two_steps steps, int32_t depth, int32_t count,
                                 int32_t next, uint32_t *to) {
    if (depth < 4) {
        for (int32_t c = 0; c < depth; c++) {
            pack_pairs(from + c, steps.step, steps.apart, count, to + c * next);
        }
        return;
    }
    for (int32_t c = 0; c < depth; c += 4) {
        const int32_t first = least(c, depth - 4);
        pack_fours(from + first, steps, count, next, to + first * next);
    }
}

static inline int is_inside(const plan *p, int32_t x) {
    return x >= 0 && x < p->v->input.width;
}

/* Words of a line of all channels that reach beyond the input. */
static __attribute__((noinline)) void pack_ends(const plan *p, const line *l, const element *row,
                                                dpl_share words, uint32_t *to) {
    const int32_t pitch = p->v->input.pixel_pitch, next = p->lines * p->line;
    const element zero = (element)p->v->input_zero;
    for (int32_t i = words.begin; i < words.end; i++) {
        const int32_t x = l->first + i * l->step, y = x + l->apart;
        const int is_x = is_inside(p, x), is_y = is_inside(p, y);
        const element *first = is_x ? row + x * pitch : &zero;
        const element *second = is_y ? row + y * pitch : &zero;
        uint32_t *word = to + i;
        for (int32_t c = p->depth; c > 0; c--, word += next, first += is_x, second += is_y) {
            *word = low_halves((uint32_t)*first, (uint32_t)*second);
        }
    }
}

static inline void fill_words(uint32_t *to, uint32_t word, int32_t count) {
    for (; count > 0; count--) {
        *to++ = word;
    }
}

/* Line n of all channels of a row of the input, counted from the top of the padding; `group`: the
 * first channel. */
static inline void pack_row(const plan *p, const line *l, int32_t y, int32_t group, uint32_t *to) {
    const int32_t inside = y - p->v->window.pads.top, next = p->lines * p->line;
    const int32_t pitch = p->v->input.pixel_pitch, count = l->end - l->begin;
    if (inside < 0 || inside >= p->v->input.height) {
        for (int32_t c = p->depth; c > 0; c--, to += next) {
            fill_words(to, (uint16_t)p->v->input_zero * 0x10001u, l->count);
        }
        return;
    }
    const element *row = row_of(&p->v->input, inside) + group;
    pack_ends(p, l, row, (dpl_share){0, l->begin}, to);
    pack_ends(p, l, row, (dpl_share){l->end, l->count}, to);
    row += (l->first + l->begin * l->step) * pitch;
    if (count > 0) {
        const two_steps steps = {l->step * pitch, l->apart * pitch};
        pack_channels(row, steps, p->depth, count, next, to + l->begin);
    }
}

/* Whether windows read no row y, counted from the first. */
static inline int is_skipped(const plan *p, int32_t y) {
    const dpl_window *w = &p->v->window;
    const int32_t stride = w->stride_height, dilation = w->dilation_height;
    return dilation == 1 ? y % stride >= w->kernel_height : p->remainders == 1 && y % dilation;
}

/* The input rows that output rows read, of which `there` are packed. */
static inline void pack_band(const plan *p, dpl_share rows, int32_t there, int32_t group) {
    const dpl_window *w = &p->v->window;
    const int32_t stride = w->stride_height, dilation = w->dilation_height;
    const int32_t last = last_row(w, rows.end - rows.begin);
    for (int32_t n = 0; n < p->lines; n++) {
        const line l = line_of(p, n);
        uint32_t *const to = p->planes + n * p->line;
        for (int32_t y = there, next = there; y <= last; y++) {
            if (!is_skipped(p, y)) {
                const int32_t at = dilation > 1 ? y % dilation * p->rest + y / dilation : next++;
                pack_row(p, &l, rows.begin * stride + y, group, to + at * p->row);
            }
        }
    }
}

/* Input rows of a band that the next one reads, too; those of vertical remainders stay in theirs
 * where bands are as many rows as the dilation, or several times as many. */
static inline int32_t kept_rows(const plan *p) {
    const dpl_window *w = &p->v->window;
    const int32_t next = p->band * w->stride_height;
    return next % w->dilation_height == 0 ? most(0, last_row(w, p->band) + 1 - next) : 0;
}

/* Moves them to the beginning of the planes. */
static inline void keep_rows(const plan *p) {
    const int32_t away = p->band * p->step / p->v->window.dilation_height;
    for (int32_t n = 0; n < p->remainders; n++) {
        uint32_t *to = p->planes + n * p->rest * p->row;
        const uint32_t *from = to + away * p->row;
        for (int32_t i = (p->rest - away) * p->row; i > 0; i--) {
            *to++ = *from++;
        }
    }
}

/* The terms of a row of taps: words (w[2t], w[2t + 1]) and, where outputs slide, (w[2t - 1],
 * w[2t]); of two terms that slide the first of the one and the second of the other. */
static inline uint32_t *pack_taps(const plan *p, const int8_t *row, uint32_t *to) {
    const int32_t step = p->v->tap_column, terms = p->f.terms * (p->f.sliding ? 1 : p->lines);
    const int two = p->f.sliding && terms == 2;
    int32_t before = 0, left = p->v->window.kernel_width;
    for (int32_t t = 0; t < terms; t++, left -= 2, row += 2 * step) {
        const int32_t first = left > 0 ? row[0] : 0, second = left > 1 ? row[step] : 0;
        if (!two || t == 0) {
            *to++ = low_halves((uint32_t)first, (uint32_t)second);
        }
        if (p->f.sliding && (!two || t == 1)) {
            *to++ = low_halves((uint32_t)before, (uint32_t)first);
        }
        before = second;
    }
    return to;
}

static __attribute__((noinline)) void pack_filter(const plan *p, int32_t channel, uint32_t *to) {
    const convolution *v = p->v;
    const int8_t *row = v->weights + channel * v->filter;
    for (int32_t y = v->window.kernel_height; y > 0; y--, row += v->tap_row) {
        for (int32_t c = 0; c < p->depth; c++) {
            to = pack_taps(p, row + c, to);
        }
    }
}

/* The bias of a channel with the zero point in it. */
static inline int32_t whole_bias(const plan *p, int32_t channel) {
    const convolution *v = p->v;
    const int8_t *row = v->weights + channel * v->filter;
    int32_t sum = 0;
    if (v->folded || v->input_zero == 0) {
        return v->bias[channel];
    }
    for (int32_t y = v->window.kernel_height; y > 0; y--, row += v->tap_row) {
        for (int32_t x = 0; x < v->window.kernel_width; x++) {
            for (int32_t c = 0; c < p->depth; c++) {
                sum += row[x * v->tap_column + c];
            }
        }
    }
    return v->bias[channel] - v->input_zero * sum;
}

#endif

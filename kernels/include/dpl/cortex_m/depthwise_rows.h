/* Input rows of a depthwise convolution packed for dpl/cortex_m/slide.h. The file of a kernel says
 * how elements are packed, dpl/cortex_m/depthwise_plan.h where. */
#ifndef DPL_CORTEX_M_DEPTHWISE_ROWS_H
#define DPL_CORTEX_M_DEPTHWISE_ROWS_H

#include "dpl/cortex_m/depthwise_plan.h"

/* Words of a packed row: word i has columns first + i * step and `apart` more. Those from
 * `inside.begin` on lie in the input. */
typedef struct {
    int32_t first, step, apart, count;
    dpl_share inside;
} line;

/* Steps from `first` to the first column that is not less than `bound`. */
static int32_t steps_to(int32_t first, int32_t step, int32_t bound) {
    return first < bound ? (bound - first + step - 1) / step : 0;
}

/* Pixels at the end of a row whose fours of channels reach beyond it. */
static int32_t short_pixels(const tensor *input) {
    const int32_t missing = LANES - input->channels;
    return missing > 0 ? (missing + input->pixel_pitch - 1) / input->pixel_pitch : 0;
}

static line line_of(const plan *p, int32_t n) {
    const dpl_window *w = &p->a->window;
    const int32_t dilation = w->dilation_width, left = w->pads.left;
    line l = {-left, p->sliding ? 2 * dilation : w->stride_width, dilation, 0, {0, 0}};
    if (p->sliding) {
        l.first += n;
        l.count = (outputs_of_phase(p, n) - 1) / 2 + w->kernel_width / 2 + 1;
    } else {
        l.first += 2 * n * dilation;
        l.count = p->a->output.width + p->reach - 1;
        l.apart = 2 * n + 1 < w->kernel_width || p->reach > 1 ? dilation : 0;
    }
    const int32_t end = p->a->input.width - l.apart - short_pixels(&p->a->input);
    l.inside.begin = least(steps_to(l.first, l.step, 0), l.count);
    l.inside.end = most(least(steps_to(l.first, l.step, end), l.count), l.inside.begin);
    return l;
}

/* The planes of a group: those whose four channels are there, and one more where fewer are left or
 * channels of the one before are covered again. */
typedef struct {
    int32_t first, last; /* channels that the whole planes and the other one begin with */
    int32_t whole, all;
} group;

static group group_of(const plan *p, dpl_share channels) {
    const int32_t count = channels.end - channels.begin;
    const int32_t whole = count / LANES, all = (count + LANES - 1) / LANES;
    return (group){channels.begin, plane_channel(p, channels.begin + whole * LANES), whole, all};
}

/* Two columns of all planes, and elements from a plane's channels to the next one's. */
typedef struct {
    const element *even, *odd;
    int32_t even_apart, odd_apart;
} columns;

static columns columns_at(const plan *p, const line *l, int32_t i, const element *row, int32_t c) {
    const int32_t x = l->first + i * l->step, width = p->a->input.width;
    const int32_t pitch = p->a->input.pixel_pitch;
    columns two = {p->zeros, p->zeros, 0, 0};
    if (x >= 0 && x < width) {
        two.even = row + x * pitch + c;
        two.even_apart = LANES;
    }
    if (x + l->apart >= 0 && x + l->apart < width) {
        two.odd = row + (x + l->apart) * pitch + c;
        two.odd_apart = LANES;
    }
    return two;
}

/* Fewer than four channels. */
static void pack_few(const plan *p, const line *l, int32_t i, const element *row, uint32_t *to) {
    const columns two = columns_at(p, l, i, row, 0);
    element even[LANES], odd[LANES];
    for (int32_t n = 0; n < LANES; n++) {
        const int32_t c = least(n, p->a->input.channels - 1);
        even[n] = two.even[c];
        odd[n] = two.odd[c];
    }
    pack_pairs((two_walks){even, odd, 0, 0}, 1, 0, to);
}

/* Word i of a line in all planes. */
static void pack_word(const plan *p, const line *l, int32_t i, const element *row, const group *g,
                      uint32_t *to) {
    to += i * LANES;
    if (p->a->input.channels < LANES) {
        pack_few(p, l, i, row, to);
        return;
    }
    if (g->whole > 0) {
        const columns two = columns_at(p, l, i, row, g->first);
        pack_pairs((two_walks){two.even, two.odd, two.even_apart, two.odd_apart}, g->whole,
                   p->plane, to);
    }
    if (g->all > g->whole) {
        const columns two = columns_at(p, l, i, row, g->last);
        pack_pairs((two_walks){two.even, two.odd, 0, 0}, 1, 0, to + g->whole * p->plane);
    }
}

/* The words inside, plane after plane. */
static void pack_inside(const plan *p, const line *l, const element *row, const group *g,
                        uint32_t *to) {
    const int32_t pitch = p->a->input.pixel_pitch, apart = l->apart * pitch, step = l->step * pitch;
    const element *at = row + (l->first + l->inside.begin * l->step) * pitch + g->first;
    const int32_t count = l->inside.end - l->inside.begin;
    to += l->inside.begin * LANES;
    for (int32_t n = g->whole; n > 0; n--, to += p->plane, at += LANES) {
        pack_pairs((two_walks){at, at + apart, step, step}, count, LANES, to);
    }
    if (g->all > g->whole) {
        at += g->last - g->first - g->whole * LANES;
        pack_pairs((two_walks){at, at + apart, step, step}, count, LANES, to);
    }
}

/* A line of all planes: along the planes where there are more of them than words. */
static void pack_line(const plan *p, const line *l, const element *row, const group *g,
                      uint32_t *to) {
    const int along = l->inside.end - l->inside.begin > g->whole;
    const dpl_share inside = along ? l->inside : (dpl_share){0, 0};
    for (int32_t i = 0; i < inside.begin; i++) {
        pack_word(p, l, i, row, g, to);
    }
    if (along) {
        pack_inside(p, l, row, g, to);
    }
    for (int32_t i = inside.end; i < l->count; i++) {
        pack_word(p, l, i, row, g, to);
    }
}

/* A line of padding. */
static void fill_line(const plan *p, const line *l, const group *g, uint32_t *to) {
    const uint32_t zero = (uint16_t)p->a->input_zero * 0x10001u;
    for (int32_t n = 0; n < g->all; n++, to += p->plane) {
        for (int32_t i = 0; i < l->count * LANES; i += LANES) {
            to[i] = to[i + 1] = to[i + 2] = to[i + 3] = zero;
        }
    }
}

/* A line of row y of the input, counted from the top of the padding. */
static void pack_row(const plan *p, const line *l, int32_t y, const group *g, uint32_t *to) {
    const int32_t inside = y - p->a->window.pads.top;
    if (inside >= 0 && inside < p->a->input.height) {
        pack_line(p, l, row_of(&p->a->input, inside), g, to);
    } else {
        fill_line(p, l, g, to);
    }
}

/* The input rows that output rows read, of which `there` are packed. */
static void pack_band(const plan *p, dpl_share rows, int32_t there, dpl_share channels) {
    const dpl_window *w = &p->a->window;
    const int32_t stride = w->stride_height, dilation = w->dilation_height;
    const int32_t last = (rows.end - rows.begin - 1) * stride + (w->kernel_height - 1) * dilation;
    const group g = group_of(p, channels);
    for (int32_t n = 0; n < p->lines; n++) {
        const line l = line_of(p, n);
        uint32_t *const to = p->planes + n * p->line;
        for (int32_t y = there, next = there; y <= last; y++) {
            if (dilation == 1 && y % stride >= w->kernel_height) {
                continue;
            }
            const int32_t at = p->rest ? y % dilation * p->rest + y / dilation : next++;
            pack_row(p, &l, rows.begin * stride + y, &g, to + at * p->row);
        }
    }
}

#endif

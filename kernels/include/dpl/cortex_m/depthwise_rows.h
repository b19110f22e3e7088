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
    const int32_t end = p->a->input.width - l.apart;
    l.inside.begin = least(steps_to(l.first, l.step, 0), l.count);
    l.inside.end = most(least(steps_to(l.first, l.step, end), l.count), l.inside.begin);
    return l;
}

/* The planes of a group whose four channels are there, and channels left for one more. */
typedef struct {
    int32_t first, whole, left;
} group;

static group group_of(dpl_share channels) {
    const int32_t count = channels.end - channels.begin;
    return (group){channels.begin, count / LANES, count % LANES};
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

/* Word i of a line in all whole planes. */
static void pack_word(const plan *p, const line *l, int32_t i, const element *row, const group *g,
                      uint32_t *to) {
    const columns two = columns_at(p, l, i, row, g->first);
    pack_pairs((two_walks){two.even, two.odd, two.even_apart, two.odd_apart}, g->whole, p->plane,
               to + i * LANES);
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
}

/* A line of the whole planes: along the planes where there are more of them than words. */
static void pack_planes(const plan *p, const line *l, const element *row, const group *g,
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

/* Words `begin` to `end` of a line of fewer than four channels where they reach beyond the input.
 */
static void pack_ends(const plan *p, const line *l, dpl_share words, const element *row,
                      int32_t count, uint32_t *to) {
    for (int32_t i = words.begin; i < words.end; i++) {
        const columns two = columns_at(p, l, i, row, 0);
        for (int32_t n = 0; n < count; n++) {
            to[i * LANES + n] = low_halves((uint32_t)two.even[n], (uint32_t)two.odd[n]);
        }
    }
}

/* Words inside of one channel, `step` elements from one to the next: 4 cycles each. Four are loaded
 * before the first is stored, so that no load waits. */
static __attribute__((noinline)) void pack_lane(const element *even, const element *odd,
                                                int32_t step, int32_t count, uint32_t *to) {
    for (; count > 3; count -= 4, to += 4 * LANES) {
        const int32_t a = *even, b = *odd, c = even[step], d = odd[step];
        even += 2 * step;
        odd += 2 * step;
        const int32_t e = *even, f = *odd, g = even[step], h = odd[step];
        even += 2 * step;
        odd += 2 * step;
        to[0] = low_halves((uint32_t)a, (uint32_t)b);
        to[LANES] = low_halves((uint32_t)c, (uint32_t)d);
        to[2 * LANES] = low_halves((uint32_t)e, (uint32_t)f);
        to[3 * LANES] = low_halves((uint32_t)g, (uint32_t)h);
    }
    for (; count > 0; count--, even += step, odd += step, to += LANES) {
        *to = low_halves((uint32_t)*even, (uint32_t)*odd);
    }
}

/* A line of the channels that fill no plane, one after another. */
static void pack_left(const plan *p, const line *l, const element *row, int32_t count,
                      uint32_t *to) {
    const int32_t pitch = p->a->input.pixel_pitch, inside = l->inside.begin;
    const int32_t within = l->inside.end - inside;
    const element *const at = row + (l->first + inside * l->step) * pitch;
    if (inside > 0) {
        pack_ends(p, l, (dpl_share){0, inside}, row, count, to);
    }
    for (int32_t n = 0; within > 0 && n < count; n++) {
        pack_lane(at + n, at + n + l->apart * pitch, l->step * pitch, within,
                  to + n + inside * LANES);
    }
    if (l->inside.end < l->count) {
        pack_ends(p, l, (dpl_share){l->inside.end, l->count}, row, count, to);
    }
}

static void pack_line(const plan *p, const line *l, const element *row, const group *g,
                      uint32_t *to) {
    if (g->whole > 0) {
        pack_planes(p, l, row, g, to);
    }
    if (g->left > 0) {
        pack_left(p, l, row + g->first + g->whole * LANES, g->left, to + g->whole * p->plane);
    }
}

/* A line of padding. */
static void fill_line(const plan *p, const line *l, const group *g, uint32_t *to) {
    const uint32_t zero = (uint16_t)p->a->input_zero * 0x10001u;
    for (int32_t n = 0; n < g->whole + (g->left > 0); n++, to += p->plane) {
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
    const group g = group_of(channels);
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

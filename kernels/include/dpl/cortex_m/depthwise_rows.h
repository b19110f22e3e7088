/* Input rows of a depthwise convolution packed for dpl/cortex_m/slide.h. The file of a kernel says
 * how elements are packed, dpl/cortex_m/depthwise_plan.h where. */
#ifndef DPL_CORTEX_M_DEPTHWISE_ROWS_H
#define DPL_CORTEX_M_DEPTHWISE_ROWS_H

#include "dpl/cortex_m/depthwise_plan.h"

/* Element I of the pixels above and below, to the registers of a word. */
#define ELEMENT(X, AT, I) LOAD " %[" X "], [%[" AT "], #" I "*" BITS "/8]\n"
#define TOP_0 ELEMENT("a", "top", "0")
#define BOTTOM_0 ELEMENT("b", "bottom", "0")
#define TOP_1 ELEMENT("c", "top", "1")
#define BOTTOM_1 ELEMENT("d", "bottom", "1")
#define TOP_2 ELEMENT("e", "top", "2")
#define BOTTOM_2 ELEMENT("f", "bottom", "2")
#define TOP_3 ELEMENT("g", "top", "3")
#define BOTTOM_3 ELEMENT("h", "bottom", "3")
#define ELEMENTS TOP_0 BOTTOM_0 TOP_1 BOTTOM_1 TOP_2 BOTTOM_2 TOP_3 BOTTOM_3

/* Words of a packed row: word i has columns first + i * step and `apart` more. Of words `inside`
 * both lie in the input, of words before `some.begin` and from `some.end` on none. Elements from a
 * row to the first column inside, from that to the one in the same word and to the next word's. */
typedef struct {
    int32_t first, step, apart, count;
    dpl_share inside, some;
    int32_t at, across, down;
} line;

/* Steps from `first` to the first column that is not less than `bound`. */
static int32_t steps_to(int32_t first, int32_t step, int32_t bound) {
    return first < bound ? (bound - first + step - 1) / step : 0;
}

static line line_of(const plan *p, int32_t n) {
    const dpl_window *w = &p->a->window;
    const int32_t dilation = w->dilation_width, left = w->pads.left;
    line l = {-left, p->sliding ? 2 * dilation : w->stride_width, dilation, 0, {0, 0}, {0, 0}, 0, 0,
              0};
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
    l.some = l.inside;
    while (l.some.begin > 0 && l.first + (l.some.begin - 1) * l.step + l.apart >= 0) {
        l.some.begin--;
    }
    while (l.some.end < l.count && l.first + l.some.end * l.step < p->a->input.width) {
        l.some.end++;
    }
    l.at = (l.first + l.inside.begin * l.step) * p->a->input.pixel_pitch;
    l.across = l.apart * p->a->input.pixel_pitch;
    l.down = l.step * p->a->input.pixel_pitch;
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

/* Fours of channels of `count` pairs of pixels to words (first, second), `apart` words from a
 * pair's to the next, element by element: 11 cycles for four words wherever pixels lie. */
static inline void pack_elements(two_walks from, int32_t count, int32_t apart, uint32_t *to) {
#if defined(__ARM_FEATURE_DSP)
    const int32_t bytes = 4 * apart, down = from.top_pitch * (int32_t)sizeof(element);
    const int32_t over = from.bottom_pitch * (int32_t)sizeof(element);
    uint32_t a, b, c, d, e, f, g, h;
    __asm__ volatile(ELEMENTS
                     "subs %[count], %[count], #1\n"
                     "beq 2f\n"
                     "1:\n"
                     "pkhbt %[a], %[a], %[b], lsl #16\n"
                     "ldr %[b], %[down]\n"
                     "pkhbt %[c], %[c], %[d], lsl #16\n"
                     "ldr %[d], %[over]\n"
                     "str %[a], [%[to]]\n"
                     "add %[top], %[top], %[b]\n"
                     "str %[c], [%[to], #4]\n"
                     "add %[bottom], %[bottom], %[d]\n"
                     "pkhbt %[e], %[e], %[f], lsl #16\n" TOP_0 "str %[e], [%[to], #8]\n" BOTTOM_0
                     "pkhbt %[g], %[g], %[h], lsl #16\n" TOP_1 "str %[g], [%[to], #12]\n" BOTTOM_1
                     "subs %[count], %[count], #1\n" TOP_2
                     "add %[to], %[to], %[bytes]\n" BOTTOM_2 TOP_3 BOTTOM_3 "bne 1b\n"
                     "2:\n"
                     "pkhbt %[a], %[a], %[b], lsl #16\n"
                     "str %[a], [%[to]]\n"
                     "pkhbt %[c], %[c], %[d], lsl #16\n"
                     "str %[c], [%[to], #4]\n"
                     "pkhbt %[e], %[e], %[f], lsl #16\n"
                     "str %[e], [%[to], #8]\n"
                     "pkhbt %[g], %[g], %[h], lsl #16\n"
                     "str %[g], [%[to], #12]\n"
                     : [top] "+r"(from.top), [bottom] "+r"(from.bottom), [to] "+r"(to),
                       [count] "+r"(count), [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d),
                       [e] "=&r"(e), [f] "=&r"(f), [g] "=&r"(g), [h] "=&r"(h)
                     : [down] "m"(down), [over] "m"(over), [bytes] "r"(bytes)
                     : "cc", "memory");
#else
    for (; count > 0; count--, to += apart) {
        for (int32_t n = 0; n < LANES; n++) {
            to[n] = low_halves((uint32_t)from.top[n], (uint32_t)from.bottom[n]);
        }
        from.top += from.top_pitch;
        from.bottom += from.bottom_pitch;
    }
#endif
}

/* The same by words where all of them lie at boundaries: others take 3 cycles more to load. */
static __attribute__((noinline)) void pack_fours(two_walks from, int32_t count, int32_t apart,
                                                 uint32_t *to) {
    const uintptr_t pitches = (uintptr_t)(from.top_pitch | from.bottom_pitch) * sizeof(element);
    if ((((uintptr_t)from.top | (uintptr_t)from.bottom | pitches) & 3) == 0) {
        pack_pairs(from, count, apart, to);
    } else {
        pack_elements(from, count, apart, to);
    }
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
    pack_fours((two_walks){two.even, two.odd, two.even_apart, two.odd_apart}, g->whole, p->plane,
               to + i * LANES);
}

/* The words inside, plane after plane. */
static void pack_inside(const plan *p, const line *l, const element *row, const group *g,
                        uint32_t *to) {
    const element *at = row + l->at + g->first;
    const int32_t count = l->inside.end - l->inside.begin;
    to += l->inside.begin * LANES;
    for (int32_t n = g->whole; n > 0; n--, to += p->plane, at += LANES) {
        pack_fours((two_walks){at, at + l->across, l->down, l->down}, count, LANES, to);
    }
}

/* Whether lines are packed plane after plane, rather than a word of all planes at a time. */
static inline int by_planes(const line *l, int32_t planes) {
    return l->inside.end - l->inside.begin > planes;
}

/* A line of the whole planes. */
static void pack_planes(const plan *p, const line *l, const element *row, const group *g,
                        uint32_t *to) {
    if (by_planes(l, g->whole)) {
        pack_inside(p, l, row, g, to);
        return;
    }
    for (int32_t i = 0; i < l->count; i++) {
        pack_word(p, l, i, row, g, to);
    }
}

/* An element in the half of a word from bit `up` on, a zero point in the other one. */
static inline uint32_t half_word(element x, uint32_t zero, int32_t up) {
    return up > 0 ? low_halves(zero, (uint32_t)x) : low_halves((uint32_t)x, zero);
}

/* Words of all channels of which one column lies inside. */
static inline __attribute__((always_inline)) void put_halves(const element *from, const group *g,
                                                             int32_t plane, uint32_t zero,
                                                             int32_t up, uint32_t *to) {
    for (int32_t n = g->whole; n > 0; n--, from += LANES, to += plane) {
        to[0] = half_word(from[0], zero, up);
        to[1] = half_word(from[1], zero, up);
        to[2] = half_word(from[2], zero, up);
        to[3] = half_word(from[3], zero, up);
    }
    for (int32_t i = 0; i < g->left; i++) {
        to[i] = half_word(from[i], zero, up);
    }
}

/* The words of which one column lies inside, before and behind those `inside`. */
static __attribute__((noinline)) void pack_ends(const plan *p, const line *l, const element *row,
                                                const group *g, uint32_t *to) {
    const uint32_t zero = (uint32_t)p->a->input_zero;
    const int32_t pitch = p->a->input.pixel_pitch, width = p->a->input.width;
    row += g->first;
    for (int32_t i = l->some.begin;; i++) {
        i = i == l->inside.begin ? l->inside.end : i;
        if (i >= l->some.end) {
            return;
        }
        const int32_t x = l->first + i * l->step;
        if (x >= 0) {
            put_halves(row + x * pitch, g, p->plane, zero, 0, to + i * LANES);
        } else if (x + l->apart < width) {
            put_halves(row + (x + l->apart) * pitch, g, p->plane, zero, 16, to + i * LANES);
        }
    }
}

/* Words inside of one channel, `step` elements from one to the next: 13 cycles for four. A load
 * stands beside each packing and each store. */
static __attribute__((noinline)) void pack_lane(const element *even, const element *odd,
                                                int32_t step, int32_t count, uint32_t *to) {
    if (count & 1) {
        *to = low_halves((uint32_t)*even, (uint32_t)*odd);
        even += step;
        odd += step;
        to += LANES;
    }
    int32_t pairs = count / 2;
    if (pairs == 0) {
        return;
    }
#if defined(__ARM_FEATURE_DSP)
    const int32_t bytes = step * (int32_t)sizeof(element), both = 2 * bytes;
    uint32_t a, b, c, d, w;
    __asm__ volatile(LOAD " %[a], [%[even]]\n " LOAD " %[b], [%[odd]]\n " LOAD
                          " %[c], [%[even], %[bytes]]\n " LOAD " %[d], [%[odd], %[bytes]]\n"
                          "subs %[pairs], %[pairs], #1\n beq 2f\n"
                          "1:\n"
                          "add %[even], %[even], %[both]\n add %[odd], %[odd], %[both]\n"
                          "pkhbt %[w], %[a], %[b], lsl #16\n " LOAD " %[a], [%[even]]\n"
                          "str %[w], [%[to]]\n " LOAD " %[b], [%[odd]]\n"
                          "pkhbt %[w], %[c], %[d], lsl #16\n " LOAD " %[c], [%[even], %[bytes]]\n"
                          "str %[w], [%[to], #16]\n " LOAD " %[d], [%[odd], %[bytes]]\n"
                          "add %[to], %[to], #32\n subs %[pairs], %[pairs], #1\n bne 1b\n"
                          "2:\n"
                          "pkhbt %[w], %[a], %[b], lsl #16\n str %[w], [%[to]]\n"
                          "pkhbt %[w], %[c], %[d], lsl #16\n str %[w], [%[to], #16]\n"
                     : [even] "+r"(even), [odd] "+r"(odd), [to] "+r"(to), [pairs] "+r"(pairs),
                       [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d), [w] "=&r"(w)
                     : [bytes] "r"(bytes), [both] "r"(both)
                     : "cc", "memory");
#else
    for (pairs *= 2; pairs > 0; pairs--, even += step, odd += step, to += LANES) {
        *to = low_halves((uint32_t)*even, (uint32_t)*odd);
    }
#endif
}

/* The words inside of the channels that fill no plane, one channel after another. */
static void pack_left(const plan *p, const line *l, const element *row, const group *g,
                      uint32_t *to) {
    const element *at = row + l->at + g->first + g->whole * LANES;
    const int32_t count = l->inside.end - l->inside.begin;
    to += g->whole * p->plane + l->inside.begin * LANES;
    for (int32_t n = 0; count > 0 && n < g->left; n++) {
        pack_lane(at + n, at + n + l->across, l->down, count, to + n);
    }
}

static void pack_line(const plan *p, const line *l, const element *row, const group *g,
                      uint32_t *to) {
    if (g->whole > 0) {
        pack_planes(p, l, row, g, to);
    }
    if (g->left > 0) {
        pack_left(p, l, row, g, to);
    }
    const int within = l->some.end - l->some.begin == l->inside.end - l->inside.begin;
    if (!within && (g->left > 0 || by_planes(l, g->whole))) {
        pack_ends(p, l, row, g, to);
    }
}

/* Zero points in words of a line, in all rows of all planes, where they stay. */
static __attribute__((noinline)) void fill_words(const plan *p, dpl_share words, uint32_t *line) {
    const uint32_t zero = (uint16_t)p->a->input_zero * 0x10001u;
    const uint32_t *const end = p->planes + p->planes_of_group * p->plane;
    for (int32_t i = words.begin; i < words.end; i++) {
        for (uint32_t *to = line + i * LANES; to < end; to += p->row) {
            to[0] = to[1] = to[2] = to[3] = zero;
        }
    }
}

/* The same of those beyond the input, or of all where they may be wider than it. */
static inline void fill_beyond(const plan *p, const line *l, uint32_t *line) {
    const int32_t some = l->apart < p->a->input.width ? l->some.begin : l->count;
    if (some > 0) {
        fill_words(p, (dpl_share){0, some}, line);
    }
    if (l->some.end < l->count) {
        fill_words(p, (dpl_share){l->some.end, l->count}, line);
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
    const int skips = dilation == 1 && stride > w->kernel_height;
    for (int32_t n = 0; n < p->lines; n++) {
        const line l = line_of(p, n);
        uint32_t *const to = p->planes + n * p->line;
        if (channels.begin == 0 && there == 0) {
            fill_beyond(p, &l, to);
        }
        for (int32_t y = there, next = there; y <= last; y++) {
            if (skips && y % stride >= w->kernel_height) {
                continue;
            }
            const int32_t at = p->rest ? y % dilation * p->rest + y / dilation : next++;
            pack_row(p, &l, rows.begin * stride + y, &g, to + at * p->row);
        }
    }
}

#endif

/* Resize, linear: a body. A file has LOAD and STORE, the mnemonics for an element, and WORDS: 1
 * where two channels are a word.
 *
 * Two outputs next to each other between the same four inputs differ by twice the step between the
 * inputs left and right, so that a pair takes six products. Pairs of one weight are `blend`ed in
 * one loop: over the channels of a pixel, or over all pixels of a row where channels are few. Where
 * columns stay as they are, the two outputs are those of neighbours. */
#include "dpl/cores.h"
#include "dpl/cortex_m/blocking.h"
#include "dpl/cortex_m/run.h"
#include "dpl/linear.h"
#include "dpl/nearest.h"

static void move(position *p, int32_t outputs) {
    for (p->weight += 2 * outputs; p->weight >= p->whole; p->weight -= p->whole) {
        p->first++;
    }
}

/* Rows above and below an output row, their weights, and what all sums begin with. */
typedef struct {
    const element *upper, *lower;
    int32_t above, below, half, shift;
} rows;

/* `count` pairs: an input and the one `right` of it, outputs `second` apart, the first with the
 * weight `near` for the input and `far` for the other. Pairs are in_step and out_step apart. */
typedef struct {
    int32_t near, far, right, second, in_step, out_step, count;
} pairs;

/* From element `at` of the rows; count > 0. 12 cycles a pair: halves of a word hold the weights of
 * both rows, a shift by register looks at the lowest byte alone, so that the count lies above it.
 * The second output comes before the first, which may lie over it. */
static __attribute__((noinline)) void blend(const rows *v, const pairs *p, int32_t at,
                                            element *out) {
#if defined(__ARM_FEATURE_DSP)
    enum { SIZE = sizeof(element) };
    const element *upper = v->upper + at, *lower = v->lower + at;
    const uint32_t rows = low_halves((uint32_t)v->above, (uint32_t)v->below);
    const int32_t out_step = SIZE * p->out_step;
    int32_t left = (p->count - 1) << 8 | v->shift, x, y, s;
    __asm__ volatile("1:\n" LOAD " %[x], [%[upper]]\n " LOAD " %[s], [%[lower]]\n" LOAD
                     " %[y], [%[upper], %[right]]\n smulbb %[x], %[x], %[rows]\n"
                     "smlabt %[x], %[s], %[rows], %[x]\n " LOAD " %[s], [%[lower], %[right]]\n"
                     "smulbb %[y], %[y], %[rows]\n add %[upper], %[upper], %[step]\n"
                     "smlabt %[y], %[s], %[rows], %[y]\n add %[lower], %[lower], %[step]\n"
                     "mla %[s], %[x], %[near], %[half]\n"
                     "mla %[s], %[y], %[far], %[s]\n sub %[y], %[y], %[x]\n"
                     "ldr %[x], %[out_step]\n"
                     "add %[y], %[s], %[y], lsl #1\n asr %[s], %[s], %[left]\n"
                     "asr %[y], %[y], %[left]\n subs %[left], %[left], #256\n" STORE
                     " %[y], [%[out], %[second]]\n " STORE " %[s], [%[out]]\n"
                     "add %[out], %[out], %[x]\n bpl 1b\n"
                     : [upper] "+r"(upper), [lower] "+r"(lower), [out] "+r"(out), [left] "+r"(left),
                       [x] "=&r"(x), [y] "=&r"(y), [s] "=&r"(s)
                     : [right] "r"(SIZE * p->right), [step] "r"(SIZE * p->in_step),
                       [second] "r"(SIZE * p->second), [near] "r"(p->near), [far] "r"(p->far),
                       [rows] "r"(rows), [half] "r"(v->half), [out_step] "m"(out_step)
                     : "cc", "memory");
#else
    const element *upper = v->upper + at, *lower = v->lower + at;
    for (int32_t i = 0; i < p->count; i++, out += p->out_step) {
        const int32_t n = i * p->in_step, right = n + p->right;
        const int32_t x = upper[n] * v->above + lower[n] * v->below;
        const int32_t y = upper[right] * v->above + lower[right] * v->below;
        const int32_t sum = v->half + x * p->near + y * p->far;
        out[p->second] = (element)((sum + 2 * (y - x)) >> v->shift);
        *out = (element)(sum >> v->shift);
    }
#endif
}

/* Where the columns lie between two inputs: `whole` times a factor of them from column `begin`,
 * after input `first`. */
typedef struct {
    int32_t begin, first, whole;
} span;

static span span_of(const args *a) {
    const int32_t factor = a->factor_width, lead = a->half_pixel ? factor / 2 : 0;
    const int32_t first = a->left <= lead ? 0 : (a->left - lead + factor - 1) / factor;
    const int32_t begin = lead + first * factor - a->left;
    const int32_t fit = (a->output.width - begin) / factor, most = a->input.width - 1 - first;
    const span s = {begin, first, fit < most ? fit : most};
    return s;
}

/* `count` neighbours of an input column alone, of weights that add up to `whole`. */
static void alone(const rows *given, int32_t whole, int32_t at, int32_t count, element *out) {
    const pairs two = {2, 0, 1, 1, 2, 2, count / 2};
    rows v = *given;
    v.above *= whole / 2, v.below *= whole / 2;
    if (count > 1) {
        blend(&v, &two, at, out);
    }
    if (count & 1) {
        const int32_t i = count - 1, upper = v.upper[at + i], lower = v.lower[at + i];
        out[i] = (element)((2 * (upper * v.above + lower * v.below) + v.half) >> v.shift);
    }
}

/* Rows beyond the input show one of its rows, which is copied. */
static __attribute__((noinline)) void same_columns(const args *a, const rows *v, int32_t count,
                                                   element *out) {
    const int32_t from = a->input.pixel_pitch, to = a->output.pixel_pitch;
    const int contiguous = from == count && to == count;
    const int32_t pixels = contiguous ? 1 : a->output.width, first = a->left * from;
    const int32_t length = contiguous ? a->output.width * count : count;
    if (v->upper == v->lower) {
        copy_each(out, to, v->upper + first, from, length, pixels);
        return;
    }
    for (int32_t x = 0; x < pixels; x++) {
        alone(v, 2, first + x * from, length, out + x * to);
    }
}

/* `count` channels of columns that show the same input. */
static void beyond(const args *a, const rows *v, int32_t at, int32_t columns, int32_t count,
                   element *out) {
    alone(v, 2 * a->factor_width, at, count, out);
    const int32_t pitch = a->output.pixel_pitch;
    for (int32_t x = 1, more; x < columns; x += more) {
        more = pitch > count ? 1 : x < columns - x ? x : columns - x;
        copy_run(out + x * pitch, out, more * count);
    }
}

/* Columns from begin to end, pixel by pixel. */
static void columns(const args *a, const rows *v, const span *s, int32_t begin, int32_t end,
                    int32_t count, element *out) {
    const int32_t from = a->input.pixel_pitch, to = a->output.pixel_pitch;
    const int32_t last = a->input.width - 1;
    position h = position_at(a->left + begin, a->factor_width, a->half_pixel);
    for (int32_t x = begin, done; x < end; x += done, move(&h, done)) {
        if (h.first < 0 || h.first >= last) {
            done = h.first < 0 && last > 0 && s->begin < end ? s->begin - x : end - x;
            beyond(a, v, h.first < 0 ? 0 : last * from, done, count, out + x * to);
            continue;
        }
        done = x + 1 < end && h.weight + 2 < h.whole ? 2 : 1;
        const pairs p = {h.whole - h.weight, h.weight, from, (done - 1) * to, 1, 1, count};
        blend(v, &p, h.first * from, out + x * to);
    }
}

/* `pixels` blends, of inputs so far apart, of a pixel's channels into two outputs; count and pixels
 * > 0. 10 cycles a pair, since neighbours need no steps. */
typedef struct {
    int32_t in_step, out_step, count;
} pixels;

static __attribute__((noinline)) void blend_pixels(const rows *v, const pairs *p, const pixels *all,
                                                   int32_t at, element *out) {
#if defined(__ARM_FEATURE_DSP)
    enum { SIZE = sizeof(element) };
    const uint32_t rows = low_halves((uint32_t)v->above, (uint32_t)v->below);
    const int32_t turns = (p->count - 1) << 8 | v->shift;
    for (int32_t n = all->count; n > 0; n--, at += all->in_step, out += all->out_step) {
        const element *upper = v->upper + at, *lower = v->lower + at;
        element *to = out;
        int32_t left = turns, x, y, s;
        __asm__ volatile("1:\n" LOAD " %[x], [%[upper]], %[size]\n " LOAD " %[s], [%[lower]], "
                         "%[size]\n" LOAD " %[y], [%[upper], %[right]]\n"
                         "smulbb %[x], %[x], %[rows]\n"
                         "smlabt %[x], %[s], %[rows], %[x]\n " LOAD " %[s], [%[lower], %[right]]\n"
                         "smulbb %[y], %[y], %[rows]\n subs %[left], %[left], #256\n"
                         "smlabt %[y], %[s], %[rows], %[y]\n"
                         "mla %[s], %[x], %[near], %[half]\n"
                         "mla %[s], %[y], %[far], %[s]\n sub %[y], %[y], %[x]\n"
                         "add %[y], %[s], %[y], lsl #1\n asr %[s], %[s], %[left]\n"
                         "asr %[y], %[y], %[left]\n" STORE " %[s], [%[to]], %[size]\n" STORE
                         " %[y], [%[to], %[second]]\n bpl 1b\n"
                         : [upper] "+r"(upper), [lower] "+r"(lower), [to] "+r"(to),
                           [left] "+r"(left), [x] "=&r"(x), [y] "=&r"(y), [s] "=&r"(s)
                         : [right] "r"(SIZE * (p->right - 1)), [second] "r"(SIZE * (p->second - 1)),
                           [near] "r"(p->near), [far] "r"(p->far), [rows] "r"(rows),
                           [half] "r"(v->half), [size] "i"(SIZE)
                         : "cc", "memory");
    }
#else
    for (int32_t n = 0; n < all->count; n++) {
        blend(v, p, at + n * all->in_step, out + n * all->out_step);
    }
#endif
}

#if WORDS
#include "dpl/cortex_m/resize_words.h"
#else
#define blend_words blend_pixels
#endif

/* Whether two channels are blended at once: those that are a word. */
static inline int in_words(const args *a, int32_t count) {
    const int32_t all = count | a->input.pixel_pitch | a->output.pixel_pitch;
    return WORDS && (all & 1) == 0 && a->shift <= 16;
}

/* All columns between inputs, two of the same place of each at a time. */
static void whole_pixels(const args *a, const rows *v, const span *s, int32_t count, element *out) {
    const int32_t from = a->input.pixel_pitch, to = a->output.pixel_pitch;
    const int32_t factor = a->factor_width;
    const pixels all = {from, factor * to, s->whole};
    position h = position_at(a->left + s->begin, factor, a->half_pixel);
    for (int32_t k = 0; k < factor; k += 2, h.weight += 4) {
        const pairs p = {h.whole - h.weight, h.weight, from, to, 1, 1, count};
        (in_words(a, count) ? blend_words : blend_pixels)(v, &p, &all, s->first * from,
                                                          out + (s->begin + k) * to);
    }
}

/* A row pixel by pixel. */
static void row_of_pixels(const args *a, const rows *v, const span *s, int32_t count,
                          element *out) {
    const int32_t width = a->output.width, between = s->whole * a->factor_width;
    if (s->whole < 2) {
        columns(a, v, s, 0, width, count, out);
        return;
    }
    columns(a, v, s, 0, s->begin, count, out);
    whole_pixels(a, v, s, count, out);
    columns(a, v, s, s->begin + between, width, count, out);
}

/* A row along one channel: `lead` outputs of the first input, a factor of them between each two,
 * `tail` of the last. Inputs and outputs are so far apart. */
typedef struct {
    int32_t lead, between, tail, factor, half_pixel;
    int32_t in_step, out_step;
} walk;

/* What runs on along a row: the next input and where outputs go, twice the blend of the last input,
 * what sums of outputs grow by, and the next one's. */
typedef struct {
    const element *upper, *lower;
    element *out;
    int32_t x, step, sum;
} walker;

/* `count` outputs, so far apart, of sums that grow by so much. */
static inline element *put(element *out, int32_t apart, int32_t count, int32_t sum, int32_t more,
                           int32_t shift) {
    for (; count > 0; count--, sum += more, out += apart) {
        *out = (element)(sum >> shift);
    }
    return out;
}

static inline int32_t twice_blended(const rows *v, int32_t at) {
    return 2 * (v->upper[at] * v->above + v->lower[at] * v->below);
}

/* Outputs up to the last input met, and one more input, `count` times. */
static void walk_on(const rows *v, const walk *w, walker *r, int32_t count) {
    for (; count > 0; count--, r->upper += w->in_step, r->lower += w->in_step) {
        const int32_t x = 2 * (*r->upper * v->above + *r->lower * v->below), step = x - r->x;
        r->out = put(r->out, w->out_step, w->factor, r->sum, r->step, v->shift);
        r->sum += w->factor * r->step + (w->half_pixel ? (step - r->step) / 2 : 0);
        r->step = step;
        r->x = x;
    }
}

/* One channel, of two inputs and more. Between two of them, x and y, sums grow by 2 (y - x), from
 * 2 factor x, at half pixels from y - x more. */
static void walk_channel(const rows *v, const walk *w, int32_t at, element *out) {
    const int32_t factor = w->factor, apart = w->out_step, shift = v->shift;
    const int32_t first = twice_blended(v, at), x = twice_blended(v, at + w->in_step);
    const int32_t step = x - first, begin = factor * first + v->half;
    out = put(out, apart, w->lead, begin, 0, shift);
    const int32_t next = at + 2 * w->in_step;
    walker r = {
        v->upper + next, v->lower + next, out, x, step, begin + (w->half_pixel ? step / 2 : 0)};
    walk_on(v, w, &r, w->between - 1);
    out = put(r.out, apart, factor, r.sum, r.step, shift);
    put(out, apart, w->tail, factor * r.x + v->half, 0, shift);
}

#include "dpl/cortex_m/resize_walks.h"

/* Cycles that a channel of a row begins with, if walked, and a row of pixels and two columns of
 * them, if not, which then take twelve more of every channel. An input that is walked to takes
 * five and two for each output, more than four of which take twice as long. Channels in words take
 * nine, and forty to begin. */
enum {
    CHANNEL_CYCLES = 42,
    PIXELS_CYCLES = 300,
    COLUMNS_CYCLES = 26,
    PAIR_CYCLES = 12,
    WORD_COLUMNS_CYCLES = 40,
    WORD_PAIR_CYCLES = 9
};

/* Whether a row is walked, channel by channel: a whole one, where that takes fewer cycles. */
static int walks(const args *a, const span *s, int32_t count) {
    const int32_t factor = a->factor_width, lead = a->half_pixel ? factor / 2 : 0;
    const int whole = a->left <= lead && s->first + s->whole == a->input.width - 1;
    const int32_t each_input = factor > 4 ? 4 * factor + 3 : 2 * factor + 5;
    const int32_t walked = (CHANNEL_CYCLES + s->whole * each_input) * count;
    const int32_t pairs = s->whole * (factor / 2);
    const int32_t each = in_words(a, count) ? WORD_COLUMNS_CYCLES + WORD_PAIR_CYCLES * count
                                            : COLUMNS_CYCLES + PAIR_CYCLES * count;
    const int32_t made = PIXELS_CYCLES + pairs * each;
    return whole && s->whole > 0 && walked < made;
}

static void walk_all(const args *a, const rows *v, const span *s, int32_t count, element *out) {
    const int32_t between = s->whole * a->factor_width;
    const walk w = {s->begin,
                    s->whole,
                    a->output.width - s->begin - between,
                    a->factor_width,
                    a->half_pixel,
                    a->input.pixel_pitch,
                    a->output.pixel_pitch};
    if (walks_fast(&w)) {
        walk_fast(v, &w, count, out);
        return;
    }
    for (int32_t c = 0; c < count; c++) {
        walk_channel(v, &w, c, out + c);
    }
}

/* An output row. */
static void output_row(const args *a, const rows *v, const span *s, int walked, int32_t count,
                       element *out) {
    if (a->factor_width == 1) {
        same_columns(a, v, count, out);
    } else if (walked) {
        walk_all(a, v, s, count, out);
    } else {
        row_of_pixels(a, v, s, count, out);
    }
}

static void resize_rows(const args *a) {
    const dpl_part part = dpl_core_part(a->output.height, a->output.channels);
    const int32_t first = part.channels.begin, count = part.channels.end - first;
    const span s = span_of(a);
    const int walked = walks(a, &s, count);
    position h = position_at(part.rows.begin + a->top, a->factor_height, a->half_pixel);
    for (int32_t y = part.rows.begin; count > 0 && y < part.rows.end; y++, move(&h, 1)) {
        const element *upper = row_of(&a->input, dpl_inside(h.first, a->input.height)) + first;
        const element *lower = row_of(&a->input, dpl_inside(h.first + 1, a->input.height)) + first;
        const rows v = {upper, lower, h.whole - h.weight, h.weight, 1 << (a->shift - 1), a->shift};
        output_row(a, &v, &s, walked, count, row_of(&a->output, y) + first);
    }
}

#include "dpl/cortex_m/resize_turn.h"

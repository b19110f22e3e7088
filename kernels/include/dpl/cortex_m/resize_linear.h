/* Resize, linear: a body. A file has LOAD and STORE, the mnemonics for an element.
 *
 * Two outputs next to each other between the same four inputs differ by twice the step between the
 * inputs left and right, so that a pair takes six products. Pairs of one weight are `blend`ed in
 * one loop: over the channels of a pixel, or over all pixels of a row where channels are few. Where
 * columns stay as they are, the two outputs are those of neighbours. */
#include "dpl/cores.h"
#include "dpl/cortex_m/run.h"
#include "dpl/linear.h"
#include "dpl/nearest.h"

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

static void same_columns(const args *a, const rows *v, int32_t count, element *out) {
    const int32_t from = a->input.pixel_pitch, to = a->output.pixel_pitch;
    const int contiguous = from == count && to == count;
    const int32_t pixels = contiguous ? 1 : a->output.width;
    const int32_t length = contiguous ? a->output.width * count : count;
    for (int32_t x = 0; x < pixels; x++) {
        alone(v, 2, (a->left + x) * from, length, out + x * to);
    }
}

/* `count` channels of columns that show the same input. */
static void beyond(const args *a, const rows *v, int32_t at, int32_t columns, int32_t count,
                   element *out) {
    alone(v, 2 * a->factor_width, at, count, out);
    for (int32_t x = 1; x < columns; x++) {
        copy_run(out + x * a->output.pixel_pitch, out, count);
    }
}

/* Columns from begin to end, pixel by pixel. */
static void columns(const args *a, const rows *v, const span *s, int32_t begin, int32_t end,
                    int32_t count, element *out) {
    const int32_t from = a->input.pixel_pitch, to = a->output.pixel_pitch;
    const int32_t last = a->input.width - 1;
    for (int32_t x = begin, done; x < end; x += done) {
        const position h = position_at(a->left + x, a->factor_width, a->half_pixel);
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

/* All outputs of a span, channel by channel. */
static void between(const args *a, const rows *v, const span *s, int32_t channels, element *out) {
    const int32_t from = a->input.pixel_pitch, to = a->output.pixel_pitch;
    const int32_t factor = a->factor_width, near = 2 * factor - (a->half_pixel ? 1 : 0);
    pairs p = {near, 2 * factor - near, from, to, from, factor * to, s->whole};
    for (int32_t k = 0; k < factor; k += 2, p.near -= 4, p.far += 4, out += 2 * to) {
        for (int32_t c = 0; c < channels; c++) {
            blend(v, &p, s->first * from + c, out + c);
        }
    }
}

/* An output row: few channels are taken between all inputs at once. */
static void output_row(const args *a, const rows *v, const span *s, int32_t count, element *out) {
    const int32_t width = a->output.width, end = s->begin + s->whole * a->factor_width;
    if (a->factor_width == 1) {
        same_columns(a, v, count, out);
    } else if (count >= s->whole) {
        columns(a, v, s, 0, width, count, out);
    } else {
        columns(a, v, s, 0, s->begin, count, out);
        between(a, v, s, count, out + s->begin * a->output.pixel_pitch);
        columns(a, v, s, end, width, count, out);
    }
}

void KERNEL(const args *a) {
    const dpl_part part = dpl_core_part(a->output.height, a->output.channels);
    const int32_t first = part.channels.begin, count = part.channels.end - first;
    const span s = span_of(a);
    for (int32_t y = part.rows.begin; count > 0 && y < part.rows.end; y++) {
        const position h = position_at(y + a->top, a->factor_height, a->half_pixel);
        const element *upper = row_of(&a->input, dpl_inside(h.first, a->input.height)) + first;
        const element *lower = row_of(&a->input, dpl_inside(h.first + 1, a->input.height)) + first;
        const rows v = {upper, lower, h.whole - h.weight, h.weight, 1 << (a->shift - 1), a->shift};
        output_row(a, &v, &s, count, row_of(&a->output, y) + first);
    }
}

/* Resize, linear: all outputs between the same four pixels at once, four channels at a time.
 *
 * Weights are bytes up to factors of 31 in product; beyond, and for channels that fill no word, one
 * channel after the other. */
#include "dpl/resize.h"

#include "dpl/pulp/blend.h"
#include "dpl/pulp/spans.h"

typedef dpl_resize_s8_args args;

enum { MOST_FACTORS = 31 };

/* Where an output position lies: between inputs first and first + 1, weight / (2 * factor) of the
 * way. first is -1 before the first input. */
typedef struct {
    int32_t first, weight, whole; /* whole: 2 * factor */
} position;

static position position_at(int32_t output, int32_t factor, int32_t half_pixel) {
    const int32_t whole = 2 * factor;
    const int32_t n = 2 * output + (half_pixel ? 1 - factor : 0);
    const int32_t first = (n + whole) / whole - 1; /* floors: n > -whole */
    position p = {first, n - first * whole, whole};
    return p;
}

static int32_t inside(int32_t at, int32_t extent) {
    return at < 0 ? 0 : at < extent ? at : extent - 1;
}

/* Two rows and where between them an output row lies. */
typedef struct {
    const int8_t *upper, *lower; /* this core's first channel */
    int32_t above, below;        /* weights */
} rows;

static rows rows_of(const args *a, const dpl_pixels *p) {
    const position v = position_at(p->y + a->top, a->factor_height, a->half_pixel);
    const int32_t upper = inside(v.first, a->input.height);
    const int32_t lower = inside(v.first + 1, a->input.height);
    rows r = {dpl_row_s8(&a->input, upper) + p->channels.begin,
              dpl_row_s8(&a->input, lower) + p->channels.begin, v.whole - v.weight, v.weight};
    return r;
}

/* Outputs between the same inputs, from position h on, count or fewer; sets their weights. */
static int32_t weigh(const rows *r, const position *h, int32_t count, uint32_t *weights) {
    int32_t done = 0;
    for (int32_t far = h->weight; far < h->whole && done < count; far += 2, done++) {
        const int32_t near = h->whole - far;
        weights[done] = (uint32_t)(r->above * near | r->above * far << 8) |
                        (uint32_t)(r->below * near | r->below * far << 8) << 16;
    }
    return done;
}

static void one_channel(const dpl_blend *b, const rows *r, const position *h, int32_t c,
                        int8_t *out) {
    const int32_t far = h->weight, near = h->whole - far;
    const int32_t upper = b->from[0][c] * near + b->from[1][c] * far;
    const int32_t lower = b->from[2][c] * near + b->from[3][c] * far;
    out[c] = (int8_t)((upper * r->above + lower * r->below + b->half) >> b->shift);
}

/* count outputs between the same inputs; returns how many they were. */
static int32_t between(const args *a, const rows *r, position *h, dpl_blend *b, int32_t length,
                       int32_t count) {
    uint32_t weights[MOST_FACTORS + 1];
    const int32_t pitch = a->input.pixel_pitch;
    const int32_t left = inside(h->first, a->input.width) * pitch;
    const int32_t right = inside(h->first + 1, a->input.width) * pitch;
    const int32_t bytes = a->factor_height * a->factor_width <= MOST_FACTORS;
    b->from[0] = r->upper + left;
    b->from[1] = r->upper + right;
    b->from[2] = r->lower + left;
    b->from[3] = r->lower + right;
    b->words = bytes ? length >> 2 : 0;
    b->weights = weights;
    if (b->words > 0) {
        b->outputs = weigh(r, h, count, weights);
        dpl_blend_words(b);
    }
    int32_t done = 0;
    int8_t *out = b->out;
    for (; h->weight < h->whole && done < count; h->weight += 2, done++, out += b->pitch) {
        for (int32_t c = 4 * b->words; c < length; c++) {
            one_channel(b, r, h, c, out);
        }
    }
    return done;
}

/* count pixels from p on, in its row. */
static void span(const args *a, const dpl_pixels *p, int32_t count) {
    const rows r = rows_of(a, p);
    position h = position_at(p->x + a->left, a->factor_width, a->half_pixel);
    dpl_blend b = {.out = dpl_span_start(&a->output, p),
                   .pitch = a->output.pixel_pitch,
                   .half = 1 << (a->shift - 1),
                   .shift = a->shift};
    while (count > 0) {
        const int32_t done = between(a, &r, &h, &b, p->channels.end - p->channels.begin, count);
        b.out += done * b.pitch;
        count -= done;
        h.weight -= h.whole;
        h.first++;
    }
}

void dpl_resize_linear_s8__xpulpv2(const dpl_resize_s8_args *a) {
    dpl_pixels p = dpl_pixels_of(&a->output);
    while (p.left > 0) {
        const int32_t count = dpl_span_count(&p, &a->output);
        span(a, &p, count);
        dpl_pixels_next(&p, &a->output, count);
    }
}

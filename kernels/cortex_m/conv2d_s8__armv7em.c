/* Conv2d, int8, one group: im2col of three pixels at a time, weights in pairs of channels.
 *
 * A strip of triples is made before the weights are walked once for all of it: weights that do not
 * stay in the cache would otherwise come from flash for every three pixels. */
#include "dpl/conv2d.h"
#include "dpl/cores.h"
#include "dpl/cortex_m/finish.h"

/* Keep in step with deployer/kernelset/cortex_m.py. */
enum { STRIP_BYTES = 8192, CACHED_WEIGHTS = 8192, MOST_TRIPLES = 32 };

typedef struct {
    const dpl_conv2d_s8_args *a;
    dpl_columns columns;
    uint32_t *strip;
    int32_t words;   /* of a triple */
    int32_t triples; /* a strip holds */
} plan;

static plan plan_of(const dpl_conv2d_s8_args *a) {
    const int32_t depth = a->input.channels, row = a->window.kernel_width * depth;
    const int32_t values = a->window.kernel_height * row, padded = (values + 3) / 4 * 4;
    const int32_t weights = padded * a->output.channels;
    plan p = {a, {&a->input, &a->window, a->input_zero, depth, row, padded, 0, 0, 0}, 0, 0, 1};
    p.columns.aligned = depth % 4 == 0;
    p.columns.merged = a->window.dilation_width == 1 && a->input.pixel_pitch == depth;
    p.columns.bytes = a->scratch;
    p.words = padded / 4 * WORDS_OF_FOUR;
    p.strip = (uint32_t *)a->scratch + (p.columns.aligned ? 0 : padded / 4);
    if (weights > CACHED_WEIGHTS && STRIP_BYTES / 4 > p.words) {
        const int32_t triples = STRIP_BYTES / 4 / p.words;
        p.triples = triples < MOST_TRIPLES ? triples : MOST_TRIPLES;
    }
    return p;
}

/* Where the outputs of a strip's pixels begin, and where the walk over pixels stands. */
typedef struct {
    int32_t y, x;
    dpl_taps taps;
} cursor;

static int8_t *output_at(const dpl_tensor_s8 *t, int32_t y, int32_t x) {
    return dpl_row_s8(t, y) + x * t->pixel_pitch;
}

static void next_pixel(const plan *p, cursor *c) {
    const dpl_conv2d_s8_args *a = p->a;
    if (++c->x == a->output.width) {
        c->x = 0;
        c->y++;
        c->taps = dpl_taps_of_row(&a->input, &a->window, c->y);
    }
}

/* All output channels of three pixels. An odd last channel is half of a pair: its sums are made
 * and dropped. */
static const uint32_t *pair_of_channels(const plan *p, const finisher *f, const uint32_t *weights,
                                        const uint32_t *triple, int32_t channel,
                                        int8_t *const *out) {
    const int32_t *bias = p->a->bias + channel;
    const int32_t both = channel + 1 < p->a->output.channels;
    const int32_t second = both ? bias[1] : 0;
    sums_2x3 s = {bias[0], bias[0], bias[0], second, second, second};
    weights = add_2x3(&s, weights, triple, triple + p->words);
    const int32_t a[] = {s.a0, s.a1, s.a2}, b[] = {s.b0, s.b1, s.b2};
    finish_three(f, channel, a, out);
    if (both) {
        finish_three(f, channel + 1, b, out);
    }
    return weights;
}

/* Columns of up to `triples` triples from the cursor on; fewer pixels repeat the last address,
 * which is then written by the right sums last. */
static int32_t make_strip(const plan *p, cursor *c, int32_t left, int8_t **out) {
    int32_t pixels = 0;
    for (; pixels < left && pixels < p->triples * COLUMNS; pixels++) {
        uint32_t *triple = p->strip + pixels / COLUMNS * p->words;
        make_column(&p->columns, &c->taps, c->x, triple + pixels % COLUMNS);
        out[pixels] = output_at(&p->a->output, c->y, c->x);
        next_pixel(p, c);
    }
    for (int32_t i = pixels; i % COLUMNS != 0; i++) {
        out[i] = out[pixels - 1];
    }
    return pixels;
}

void dpl_conv2d_s8__armv7em(const dpl_conv2d_s8_args *a) {
    const plan p = plan_of(a);
    const finisher f = finisher_of(&a->requant);
    const dpl_share rows = dpl_core_share(a->output.height);
    cursor c = {rows.begin, 0, dpl_taps_of_row(&a->input, &a->window, rows.begin)};
    int8_t *out[MOST_TRIPLES * COLUMNS];
    for (int32_t left = (rows.end - rows.begin) * a->output.width; left > 0;) {
        const int32_t pixels = make_strip(&p, &c, left, out);
        const uint32_t *weights = (const uint32_t *)(const void *)a->weights;
        for (int32_t channel = 0; channel < a->output.channels; channel += 2) {
            const uint32_t *next = weights;
            for (int32_t i = 0; i < pixels; i += COLUMNS) {
                next = pair_of_channels(&p, &f, weights, p.strip + i / COLUMNS * p.words, channel,
                                        out + i);
            }
            weights = next;
        }
        left -= pixels;
    }
}

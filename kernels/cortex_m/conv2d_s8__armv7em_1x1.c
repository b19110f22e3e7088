/* Conv2d, int8, 1x1 at stride 1, channels in fours: a column is a pixel, widened. */
#include "dpl/conv2d.h"
#include "dpl/cores.h"
#include "dpl/cortex_m/finish.h"

/* Keep in step with deployer/kernelset/cortex_m.py. */
enum { STRIP_BYTES = 8192, CACHED_WEIGHTS = 8192, MOST_TRIPLES = 32 };

typedef struct {
    const dpl_conv2d_s8_args *a;
    channel_job job;
    int32_t triples; /* a strip holds */
    int32_t part;    /* channels whose weights stay in the cache, even */
} plan;

static plan plan_of(const dpl_conv2d_s8_args *a) {
    const int32_t depth = a->input.channels, words = depth / 4 * WORDS_OF_FOUR;
    const uint32_t *weights = (const uint32_t *)(const void *)a->weights;
    plan p = {a, {weights, &a->requant, words, a->output.channels}, 1, a->output.channels};
    if (depth * a->output.channels > CACHED_WEIGHTS && STRIP_BYTES / 4 > words) {
        const int32_t triples = STRIP_BYTES / 4 / words;
        p.triples = triples < MOST_TRIPLES ? triples : MOST_TRIPLES;
        p.part = CACHED_WEIGHTS / depth / 2 * 2;
    }
    return p;
}

typedef struct {
    int32_t y, x;
    const int8_t *in;
    int8_t *out;
} cursor;

static void begin_row(const plan *p, cursor *c, int32_t y) {
    c->y = y;
    c->x = 0;
    c->in = dpl_row_s8(&p->a->input, y);
    c->out = dpl_row_s8(&p->a->output, y);
}

static inline void next_pixel(const plan *p, cursor *c) {
    c->in += p->a->input.pixel_pitch;
    c->out += p->a->output.pixel_pitch;
    if (++c->x == p->a->output.width) {
        begin_row(p, c, c->y + 1);
    }
}

/* A missing pixel repeats the address before it, where the right sums are written last. */
static int32_t make_triple(const plan *p, cursor *c, int32_t left, uint32_t *to,
                           three_pixels *out) {
    const int32_t pixels = left < COLUMNS ? left : COLUMNS;
    for (int32_t i = 0; i < pixels; i++) {
        widen(c->in, to + i, p->a->input.channels);
        out->at[i] = c->out;
        next_pixel(p, c);
    }
    for (int32_t i = pixels; i < COLUMNS; i++) {
        fill(to + i, 0, p->a->input.channels);
        out->at[i] = out->at[i - 1];
    }
    return pixels;
}

static void run_strip(const plan *p, const three_pixels *out, int32_t triples) {
    const int32_t channels = p->a->output.channels;
    for (int32_t first = 0; first < channels; first += p->part) {
        const int32_t end = first + p->part < channels ? first + p->part : channels;
        const uint32_t *columns = p->a->scratch;
        for (int32_t i = 0; i < triples; i++, columns += p->job.words) {
            channels_of_three(&p->job, columns, first, end, out + i);
        }
    }
}

void dpl_conv2d_s8__armv7em_1x1(const dpl_conv2d_s8_args *a) {
    const plan p = plan_of(a);
    const dpl_share rows = dpl_core_share(a->output.height);
    uint32_t *strip = a->scratch;
    three_pixels out[MOST_TRIPLES];
    cursor c;
    begin_row(&p, &c, rows.begin);
    for (int32_t left = (rows.end - rows.begin) * a->output.width; left > 0;) {
        int32_t made = 0;
        for (; made < p.triples && left > 0; made++) {
            left -= make_triple(&p, &c, left, strip + made * p.job.words, out + made);
        }
        run_strip(&p, out, made);
    }
}

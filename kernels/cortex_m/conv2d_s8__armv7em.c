/* Conv2d, int8, one group: im2col of three pixels at a time, weights in pairs of channels.
 *
 * Weights that do not stay in the data cache would come from flash for every three pixels. Then a
 * strip of columns is made first, and each part of the weights that does stay meets all of it. */
#include "dpl/conv2d.h"
#include "dpl/cores.h"
#include "dpl/cortex_m/finish.h"

/* Keep in step with deployer/kernelset/cortex_m.py. */
enum { STRIP_BYTES = 8192, CACHED_WEIGHTS = 8192, MOST_TRIPLES = 32 };

typedef struct {
    const dpl_conv2d_s8_args *a;
    dpl_columns columns;
    channel_job job;
    uint32_t *strip;
    int32_t triples; /* a strip holds */
    int32_t part;    /* channels whose weights stay in the cache, even */
} plan;

static plan plan_of(const dpl_conv2d_s8_args *a) {
    const int32_t depth = a->input.channels, row = a->window.kernel_width * depth;
    const int32_t values = a->window.kernel_height * row, padded = (values + 3) / 4 * 4;
    const uint32_t *weights = (const uint32_t *)(const void *)a->weights;
    const int32_t words = padded / 4 * WORDS_OF_FOUR;
    plan p = {a,
              {&a->input, &a->window, a->input_zero, depth, row, padded, 0, 0, a->scratch},
              {weights, &a->requant, words, a->output.channels},
              a->scratch,
              1,
              a->output.channels};
    p.columns.aligned = depth % 4 == 0;
    p.columns.merged = a->window.dilation_width == 1 && a->input.pixel_pitch == depth;
    p.strip += p.columns.aligned ? 0 : padded / 4;
    if (padded * a->output.channels > CACHED_WEIGHTS && STRIP_BYTES / 4 > words) {
        const int32_t triples = STRIP_BYTES / 4 / words;
        p.triples = triples < MOST_TRIPLES ? triples : MOST_TRIPLES;
        p.part = CACHED_WEIGHTS / padded / 2 * 2;
    }
    return p;
}

/* The walk over output pixels. */
typedef struct {
    int32_t y, x;
    dpl_taps taps;
    int8_t *out;
} cursor;

static void begin_row(const plan *p, cursor *c, int32_t y) {
    c->y = y;
    c->x = 0;
    c->taps = dpl_taps_of_row(&p->a->input, &p->a->window, y);
    c->out = dpl_row_s8(&p->a->output, y);
}

static inline void next_pixel(const plan *p, cursor *c) {
    c->out += p->a->output.pixel_pitch;
    if (++c->x == p->a->output.width) {
        begin_row(p, c, c->y + 1);
    }
}

/* Columns of up to three pixels; a missing one repeats the address before it, where the right sums
 * are written last. */
static int32_t make_triple(const plan *p, cursor *c, int32_t left, uint32_t *to,
                           three_pixels *out) {
    const int32_t pixels = left < COLUMNS ? left : COLUMNS;
    for (int32_t i = 0; i < pixels; i++) {
        make_column(&p->columns, &c->taps, c->x, to + i);
        out->at[i] = c->out;
        next_pixel(p, c);
    }
    for (int32_t i = pixels; i < COLUMNS; i++) {
        fill(to + i, 0, p->columns.padded);
        out->at[i] = out->at[i - 1];
    }
    return pixels;
}

static void run_strip(const plan *p, const three_pixels *out, int32_t triples) {
    const int32_t channels = p->a->output.channels;
    for (int32_t first = 0; first < channels; first += p->part) {
        const int32_t end = first + p->part < channels ? first + p->part : channels;
        const uint32_t *columns = p->strip;
        for (int32_t i = 0; i < triples; i++, columns += p->job.words) {
            channels_of_three(&p->job, columns, first, end, out + i);
        }
    }
}

void dpl_conv2d_s8__armv7em(const dpl_conv2d_s8_args *a) {
    const plan p = plan_of(a);
    const dpl_share rows = dpl_core_share(a->output.height);
    three_pixels out[MOST_TRIPLES];
    cursor c;
    begin_row(&p, &c, rows.begin);
    for (int32_t left = (rows.end - rows.begin) * a->output.width; left > 0;) {
        int32_t made = 0;
        for (; made < p.triples && left > 0; made++) {
            left -= make_triple(&p, &c, left, p.strip + made * p.job.words, out + made);
        }
        run_strip(&p, out, made);
    }
}

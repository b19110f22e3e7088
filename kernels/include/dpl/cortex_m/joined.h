/* ConvTranspose2d of one group, dilation 1, kernels no smaller than their strides, few output
 * channels: a body, with columns, outputs and `args` of its type and KERNEL before it.
 *
 * Outputs that lie next to each other in a row, one for each remainder of the horizontal stride,
 * are channels of one joined pixel: they read the same columns, of which each is multiplied with
 * pairs of channels across remainders. A remainder with fewer taps than another has weights of
 * zero. So columns are made once for all of them, and an odd channel is left over once rather than
 * for each remainder.
 *
 * Where the image begins or ends within a joined pixel, its outputs pass through a room of their
 * own. Pixels lie next to each other in the output. */
#include "dpl/conv_transpose2d.h"
#include "dpl/cortex_m/rows.h"

/* The pixels of a triple that passes through the room, from (y, x) on; none in another. */
typedef struct {
    int32_t y, x, pixels;
} place;

typedef struct {
    convolution v;
    tensor output; /* of joined channels */
    rows_plan rows;
    int32_t width;    /* of the output */
    int32_t channels; /* of a joined pixel */
    dpl_span whole;   /* joined pixels of which nothing is outside */
    place *places;
    element *room;
} joined;

/* Columns of joined pixels: the first may begin before the output, the last end behind it. */
static inline remainder_axis joined_columns(const args *a) {
    const dpl_window *w = &a->window;
    const int32_t stride = w->stride_width, taps = (w->kernel_width + stride - 1) / stride;
    const int32_t before = (w->pads.left % stride + stride) % stride; /* pads may be negative */
    const int32_t count = (a->output.width + before + stride - 1) / stride;
    const remainder_axis axis = {
        {-before, stride, count}, taps, taps - 1 - (w->pads.left - before) / stride};
    return axis;
}

/* Of all remainders of the rows. */
static inline void begin_joined(const args *a, joined *j) {
    const dpl_window *w = &a->window;
    const remainder_axis columns = joined_columns(a);
    const int32_t stride = w->stride_width, first = columns.outputs.first;
    j->output = a->output;
    j->output.channels = j->channels = stride * a->output.channels;
    j->width = a->output.width;
    j->whole.begin = first < 0;
    j->whole.end = (j->width - first) / stride;
    j->v = (convolution){&a->input,
                         &j->output,
                         {0, columns.taps, 1, 1, 1, 1, {0, columns.pad, 0, 0}},
                         a->input_zero,
                         (const uint32_t *)(const void *)a->weights,
                         &a->requant,
                         a->scratch,
                         {0, 0, 0},
                         columns.outputs};
}

static inline int has_edges(const joined *j) {
    return j->whole.begin > 0 || j->whole.end < j->v.columns.count;
}

/* Weights of the next remainder follow. `blocks`: remainders that share their columns. */
static inline void plan_joined(const args *a, joined *j, remainder_axis rows, int32_t blocks) {
    rows_plan *p = &j->rows;
    j->v.rows = rows.outputs;
    j->v.window.kernel_height = rows.taps;
    j->v.window.pads.top = rows.pad;
    plan_rows(&j->v, blocks, p);
    p->job.repeat = a->output.channels;
    if (has_edges(j)) {
        const int32_t all = (j->v.rows.count * j->v.columns.count + COLUMNS - 1) / COLUMNS;
        const int32_t triples = p->sizes.triples < all ? p->sizes.triples : all;
        const int32_t room = COLUMNS * j->channels * (int32_t)sizeof(element);
        const int32_t words = (triples * ((int32_t)sizeof(place) + room) + 3) / 4;
        j->places = (place *)a->scratch;
        j->room = (element *)(void *)(j->places + triples);
        p->copies = (element *)(void *)((uint32_t *)a->scratch + words);
        p->strip += words;
    }
}

/* Whether nothing of a triple that begins at column x is outside. */
static inline int is_whole(const joined *j, int32_t x, int32_t pixels) {
    for (int32_t i = 0; i < pixels; i++) {
        if (x < j->whole.begin || x >= j->whole.end) {
            return 0;
        }
        x = x + 1 < j->v.columns.count ? x + 1 : 0;
    }
    return 1;
}

/* A triple whose outputs may not go straight to the image. */
static inline void place_triple(const joined *j, const place *at, int32_t i, three_pixels *out) {
    j->places[i] = *at;
    if (is_whole(j, at->x, at->pixels)) {
        j->places[i].pixels = 0;
        return;
    }
    out->at = j->room + i * COLUMNS * j->channels;
    out->second = j->channels;
    out->third = 2 * j->channels;
}

/* What lies inside of a joined pixel. */
static inline void put_joined(const joined *j, int32_t y, int32_t x, const element *from) {
    const stripes *rows = &j->v.rows, *columns = &j->v.columns;
    const int32_t depth = j->output.pixel_pitch, at = columns->first + x * columns->step;
    const int32_t begin = at < 0 ? -at : 0;
    const int32_t end = at + columns->step < j->width ? columns->step : j->width - at;
    element *const to = row_of(&j->output, rows->first + y * rows->step) + (at + begin) * depth;
    copy_values(to, from + begin * depth, (end - begin) * depth);
}

/* From the room to the image. */
static __attribute__((noinline)) void put_places(const joined *j, int32_t made) {
    const element *from = j->room;
    for (int32_t i = 0; i < made; i++, from += COLUMNS * j->channels) {
        place at = j->places[i];
        for (int32_t n = 0; n < at.pixels; n++) {
            put_joined(j, at.y, at.x, from + n * j->channels);
            at.x++;
            if (at.x == j->v.columns.count) {
                at.x = 0;
                at.y++;
            }
        }
    }
}

/* All channels of a strip, of each remainder that shares its columns: none has a place in the room
 * then. */
static inline void run_joined(const joined *j, int32_t blocks, int32_t made, three_pixels *to) {
    const int32_t each = (j->channels + 1) / 2 * piece_words(j->rows.job.words);
    channel_job job = j->rows.job;
    for (int32_t i = 0; i < blocks; i++, job.weights += each) {
        run_strip(&job, j->rows.strip, made, j->rows.sizes.part, to);
        move_all(to, made, j->output.row_pitch - j->channels);
    }
}

static inline void convolve_joined(const joined *j, int32_t blocks) {
    const rows_plan *const p = &j->rows;
    const int edges = has_edges(j);
    three_pixels to[DPL_MAX_STRIP_TRIPLES];
    rows_cursor c = {0, 0, 0, p->copies, 0, j->output.data};
    begin_row(p, &c, 0);
    for (int32_t left = j->v.rows.count * j->v.columns.count; left > 0;) {
        int32_t made = 0;
        for (; made < p->sizes.triples && left > 0; made++) {
            place at = {c.y, c.x, 0};
            at.pixels = triple_of_rows(p, &c, left, p->strip + made * p->job.words, to + made);
            left -= at.pixels;
            if (edges) {
                place_triple(j, &at, made, to + made);
            }
        }
        run_joined(j, blocks, made, to);
        if (edges) {
            put_places(j, made);
        }
    }
}

/* Whether the output is the input's pixels, each a block of the stride that lies in one piece. */
static inline int whole_blocks(const args *a) {
    const dpl_window *w = &a->window;
    const tensor *out = &a->output;
    const int32_t down = w->stride_height, across = w->stride_width;
    const int pads = w->pads.top != 0 || w->pads.left != 0;
    return w->kernel_height == down && w->kernel_width == across && !pads &&
           out->height == a->input.height * down && out->width == a->input.width * across &&
           out->ring_height == 0;
}

/* Where the kernel is the stride each remainder is a 1x1, and all share their columns. */
void KERNEL(const args *a) {
    const dpl_window *w = &a->window;
    const int blocks = whole_blocks(a);
    joined j;
    begin_joined(a, &j);
    for (int32_t y = 0; y < (blocks ? 1 : w->stride_height); y++) {
        remainder_axis rows =
            axis_of(y, w->stride_height, w->kernel_height, w->pads.top, a->output.height);
        plan_joined(a, &j, rows, blocks ? w->stride_height : 1);
        if (rows.outputs.count > 0) {
            convolve_joined(&j, blocks ? w->stride_height : 1);
        }
        j.v.weights += (j.channels + 1) / 2 * piece_words(j.rows.job.words);
    }
}

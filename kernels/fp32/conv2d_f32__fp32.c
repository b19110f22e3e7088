/* Conv2d, float, portable: a dot product per output element, four output channels at a time.
 * Without dilation and groups one spans the taps of a kernel row, which lie next to one another. A
 * block of four channels walks a whole output row before the next one starts, so that its weights
 * stay in the cache. A tap beyond the input adds nothing. */
#include "dpl/body/dot_f32.h"
#include "dpl/conv2d.h"
#include "dpl/cores.h"

typedef dpl_conv2d_f32_args args;

/* Sizes that follow from the arguments, in elements. */
typedef struct {
    int32_t depth;     /* weights of a tap: the input channels of a group */
    int32_t row;       /* weights of a kernel row */
    int32_t filter;    /* weights of an output channel */
    int32_t per_group; /* output channels of a group */
    int32_t merged;    /* whether the taps of a kernel row are one run of the input */
} layout;

/* Up to four output channels of one group. */
typedef struct {
    int32_t channel, count;
    const float *input;   /* the group's first channel */
    const float *weights; /* those of the first output channel */
    int32_t at[DOT_ROWS]; /* from there to those of each */
} block;

static layout layout_of(const args *a) {
    layout l;
    l.depth = a->input.channels / a->groups;
    l.row = a->window.kernel_width * l.depth;
    l.filter = a->window.kernel_height * l.row;
    l.per_group = a->output.channels / a->groups;
    l.merged = a->window.dilation_width == 1 && a->input.pixel_pitch == l.depth;
    return l;
}

static void add_inside(const layout *l, const dpl_taps *taps, const block *b, float *restrict acc) {
    const int32_t width = taps->x.end - taps->x.begin;
    const int32_t runs = l->merged ? 1 : width;
    const int32_t length = l->merged ? width * l->depth : l->depth;
    dpl_row_walk rows = taps->rows;
    const float *restrict row = b->weights + taps->y.begin * l->row + taps->x.begin * l->depth;
    for (int32_t y = taps->y.begin; y < taps->y.end; y++, row += l->row, dpl_next_row(&rows)) {
        const float *restrict x = b->input + rows.offset + taps->column;
        const float *restrict w = row;
        for (int32_t run = 0; run < runs; run++, x += taps->pitch, w += l->depth) {
            dot(x, w, b->at, length, acc);
        }
    }
}

static void block_row(const args *a, const layout *l, dpl_taps *taps, const block *b,
                      float *restrict out) {
    out += b->channel;
    for (int32_t x = 0; x < a->output.width; x++, out += a->output.pixel_pitch) {
        float acc[DOT_ROWS];
        dot_start(acc, a->bias + b->channel, b->count);
        taps_of_column(taps, &a->input, &a->window, x);
        add_inside(l, taps, b, acc);
        dot_finish(acc, a->low, a->high, b->count, out);
    }
}

/* The block of group g that starts at a channel and ends before another, at most four long. */
static void set_block(block *b, const args *a, const layout *l, int32_t g, int32_t channel,
                      int32_t end) {
    const int32_t left = end - channel;
    b->channel = channel;
    b->count = left < DOT_ROWS ? left : DOT_ROWS;
    b->input = a->input.data + g * l->depth;
    b->weights = a->weights + channel * l->filter;
    dot_rows(b->at, l->filter, b->count);
}

/* One output row of this core's channels. */
static void output_row(const args *a, const layout *l, dpl_share channels, int32_t y) {
    dpl_taps taps = taps_of_row(&a->input, &a->window, y);
    float *out = row_of(&a->output, y);
    int32_t group = channels.begin / l->per_group;
    for (int32_t c = channels.begin; c < channels.end; group++) {
        const int32_t last = (group + 1) * l->per_group;
        const int32_t end = last < channels.end ? last : channels.end;
        while (c < end) {
            block b;
            set_block(&b, a, l, group, c, end);
            block_row(a, l, &taps, &b, out);
            c += b.count;
        }
    }
}

void dpl_conv2d_f32__fp32(const args *a) {
    const layout l = layout_of(a);
    const dpl_part part = dpl_core_part(a->output.height, a->output.channels);
    for (int32_t y = part.rows.begin; y < part.rows.end; y++) {
        output_row(a, &l, part.channels, y);
    }
}

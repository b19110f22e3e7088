/* Sums of a convolution: a dot product per output element, four output channels at a time.
 * A body defines before it what the sums begin with and become: `results`, a pointer to outputs;
 * `results_of`, those of a row; `start_of`, what the sums of a row begin with, `start_step` on for
 * each pixel; `put_sums`.
 *
 * In HWC the taps of a kernel row lie next to one another, as do their OHWI weights, so without
 * dilation and groups one dot product spans a whole kernel row (kernel_width * channels): that is
 * what makes first layers with three channels tolerable. Otherwise it spans one tap.
 *
 * A block of four channels walks a whole output row before the next one starts: its weights are
 * read from flash once a row, and stay in the cache meanwhile. */
#include "dpl/cores.h"
#include "dpl/window.h"

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
    const element *input;  /* the group's first channel */
    const int8_t *weights; /* those of the first output channel */
    int32_t at[DOT_ROWS];  /* from there to those of each */
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

/* The taps inside the input.
 *
 * A function of its own because inlined into its caller gcc runs out of registers and reloads
 * three of them for every element: 16 instructions for 4 MACs instead of 11. */
static __attribute__((noinline)) void add_inside(const layout *l, const dpl_taps *taps,
                                                 const block *b, int32_t *restrict acc) {
    int32_t width = taps->x.end - taps->x.begin;
    int32_t runs = l->merged ? 1 : width;
    int32_t length = l->merged ? width * l->depth : l->depth;
    dpl_row_walk rows = taps->rows;
    const int8_t *restrict row = b->weights + taps->y.begin * l->row + taps->x.begin * l->depth;
    for (int32_t y = taps->y.begin; y < taps->y.end; y++, row += l->row, dpl_next_row(&rows)) {
        const element *restrict x = b->input + rows.offset + taps->column;
        const int8_t *restrict w = row;
        for (int32_t run = 0; run < runs; run++, x += taps->pitch, w += l->depth) {
            dot(x, w, b->at, length, acc);
        }
    }
}

/* The taps outside, which read the zero point: whole kernel rows, or the ends of a row. */
static __attribute__((noinline)) void add_outside(const layout *l, const dpl_taps *taps,
                                                  const block *b, const args *a,
                                                  int32_t *restrict acc) {
    const int32_t zero = a->input_zero;
    const int32_t left = taps->x.begin * l->depth, right = taps->x.end * l->depth;
    const int8_t *row = b->weights;
    for (int32_t y = 0; y < a->window.kernel_height; y++, row += l->row) {
        int inside = y >= taps->y.begin && y < taps->y.end;
        if (inside) {
            dot_constant(zero, row, b->at, left, acc);
            dot_constant(zero, row + right, b->at, l->row - right, acc);
        } else {
            dot_constant(zero, row, b->at, l->row, acc);
        }
    }
}

/* Output row y of a block. Outside the dot products an output costs about 50 instructions, 20 of
 * them its requantization, and 20 more for each kernel row (counted under QEMU, Cortex-M7). */
static void block_row(const args *a, const layout *l, dpl_taps *taps, const block *b, int32_t y,
                      results out) {
    const int32_t *from = start_of(a, y) + b->channel;
    out += b->channel;
    for (int32_t x = 0; x < a->output.width; x++, out += a->output.pixel_pitch) {
        int32_t acc[DOT_ROWS];
        dot_start(acc, from, b->count);
        from += start_step(a);
        taps_of_column(taps, &a->input, &a->window, x);
        add_inside(l, taps, b, acc);
        if (a->input_zero != 0 && !dpl_taps_all(taps, &a->window)) {
            add_outside(l, taps, b, a, acc);
        }
        put_sums(a, acc, b->channel, b->count, out);
    }
}

/* The block of group g that starts at a channel and ends before another, at most four long. */
static void set_block(block *b, const args *a, const layout *l, int32_t g, int32_t channel,
                      int32_t end) {
    int32_t left = end - channel;
    b->channel = channel;
    b->count = left < DOT_ROWS ? left : DOT_ROWS;
    b->input = a->input.data + g * l->depth;
    b->weights = a->weights + channel * l->filter;
    dot_rows(b->at, l->filter, b->count);
}

/* One output row of this core's channels. */
static void output_row(const args *a, const layout *l, dpl_share channels, int32_t y) {
    dpl_taps taps = taps_of_row(&a->input, &a->window, y);
    results out = results_of(&a->output, y);
    int32_t group = channels.begin / l->per_group;
    for (int32_t c = channels.begin; c < channels.end; group++) {
        int32_t last = (group + 1) * l->per_group;
        int32_t end = last < channels.end ? last : channels.end;
        while (c < end) {
            block b;
            set_block(&b, a, l, group, c, end);
            block_row(a, l, &taps, &b, y, out);
            c += b.count;
        }
    }
}

void KERNEL(const args *a) {
    const layout l = layout_of(a);
    const dpl_part part = dpl_core_part(a->output.height, a->output.channels);
    for (int32_t y = part.rows.begin; y < part.rows.end; y++) {
        output_row(a, &l, part.channels, y);
    }
}

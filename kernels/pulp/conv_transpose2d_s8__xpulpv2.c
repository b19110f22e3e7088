/* ConvTranspose2d of one group, dilation 1, kernels no smaller than their strides.
 *
 * Output row o gets products of input row i and kernel row k where i * stride + k = o + pad, so
 * that rows with one remainder r of (o + pad) / stride use kernel rows r, r + stride, ... only: a
 * convolution at stride 1 with those rows, reversed. The weights (layout "x4c4_remainders") hold
 * one piece for each pair of remainders, with the zero point in its biases.
 *
 * Cores share blocks times groups of channels of each remainder, so that each has as many as any
 * other but one; where a remainder's do not divide, the next begins with those that got fewer. */
#include "dpl/conv_transpose2d.h"

#include "dpl/cores.h"
#include "dpl/pulp/remainder.h"

typedef dpl_conv_transpose2d_s8_args args;

/* This core's part of count items when core `first` takes the first. */
static dpl_share share_from(int32_t first, int32_t count) {
    const int32_t each = count / DPL_CORE_COUNT, more = count - each * DPL_CORE_COUNT;
    int32_t place = dpl_core_id() - first;
    place += place < 0 ? DPL_CORE_COUNT : 0;
    dpl_share share = {place * each + (place < more ? place : more), 0};
    share.end = share.begin + each + (place < more);
    return share;
}

static void start(const args *a, const dpl_remainder *r, dpl_four_by_four *f) {
    f->runs = r->at->runs;
    f->table = r->at->table;
    f->zeros = r->at->zeros;
    f->copies = 0;
    f->step = a->input.pixel_pitch;
    f->pitch = r->step;
    dpl_four_by_four_bounds(f, &a->requant);
}

/* Items begin to end - 1, item block * groups + group; at least one. */
static void run_items(const args *a, const dpl_remainder *r, const dpl_four_by_four_layer *l,
                      dpl_share items) {
    const int32_t all = (l->channels + FOUR - 1) / FOUR, pixels = r->y.count * r->x.count;
    const int32_t behind = (l->channels & 3) == 0 ? items.end / all : 0; /* last whole block */
    int32_t block = items.begin / all, group = items.begin - block * all;
    dpl_remainder_pixel p = dpl_remainder_pixel_at(a, r, FOUR * block);
    dpl_four_by_four f;
    start(a, r, &f);
    for (int32_t item = items.begin; item < items.end; group = 0) {
        dpl_remainder_wrap(a, r, &p);
        const int32_t more = items.end - item, left = pixels - FOUR * block;
        const int32_t end = more < all - group ? group + more : all;
        int32_t blocks = dpl_remainder_inside(a, r, &p);
        if (blocks > 0) {
            const int32_t most = group == 0 && behind > block ? behind - block : 1;
            blocks = blocks < most ? blocks : most;
            dpl_remainder_steps(r, &p, blocks, &f);
            dpl_four_by_four_of_steps(&f, l, group, end);
        } else {
            blocks = 1;
            dpl_remainder_block(a, r, &p, left < FOUR ? left : FOUR, &f);
            dpl_four_by_four_of_table(&f, l, group, end);
        }
        item += end - group + (blocks - 1) * all;
        block += blocks;
    }
}

/* The outputs of one remainder, by core `first` on; returns how many items there are. */
static int32_t run_remainder(const args *a, const dpl_remainder *r, const dpl_four_by_four_layer *l,
                             int32_t first) {
    const int32_t blocks = (r->y.count * r->x.count + FOUR - 1) / FOUR;
    const int32_t items = blocks * ((l->channels + FOUR - 1) / FOUR);
    const dpl_share share = share_from(first, items);
    if (share.begin < share.end) {
        run_items(a, r, l, share);
    }
    return items;
}

/* Whether the channels of the outputs that a kernel row of the stride's width makes of an input lie
 * in a run, as do their weights. */
static int in_a_run(const args *a) {
    const dpl_window *w = &a->window;
    const int32_t channels = a->output.channels;
    return w->kernel_width == w->stride_width && w->pads.left == 0 &&
           a->output.width == a->input.width * w->stride_width &&
           a->output.pixel_pitch == channels && (channels & 3) == 0 &&
           dpl_four_by_four_rule(&a->requant);
}

void dpl_conv_transpose2d_s8__xpulpv2(const dpl_conv_transpose2d_s8_args *a) {
    const dpl_window *w = &a->window;
    const int32_t adjacent = in_a_run(a) ? w->stride_width : 1; /* remainders taken at once */
    const int32_t channels = adjacent * a->output.channels, groups = (channels + FOUR - 1) / FOUR;
    dpl_remainder_scratch scratch;
    dpl_remainder_scratch_of(&scratch, a);
    const dpl_remainder_sizes rows =
        dpl_remainder_sizes_of(w->stride_height, w->kernel_height, w->pads.top, a->output.height);
    const dpl_remainder_sizes columns =
        dpl_remainder_sizes_of(w->stride_width, w->kernel_width, w->pads.left, a->output.width);
    const int8_t *weights = a->weights;
    for (int32_t y = 0, first = 0; y < rows.stride; y++) {
        for (int32_t x = 0; x < columns.stride; x += adjacent) {
            dpl_remainder r;
            dpl_remainder_axis_of(&r.y, &rows, y);
            dpl_remainder_axis_of(&r.x, &columns, x);
            dpl_remainder_of(&r, a, &scratch);
            dpl_four_by_four_layer l = {weights, 0, &a->requant, channels,
                                        FOUR * r.window + FOUR_TABLES};
            const int8_t *end = weights + groups * l.group_bytes;
            l.bias = (const int32_t *)(const void *)end; /* used, and there, for other rules only */
            first = (first + run_remainder(a, &r, &l, first)) % DPL_CORE_COUNT;
            weights = dpl_four_by_four_rule(l.requant) ? end : end + 4 * channels;
        }
    }
}

/* ConvTranspose2d of one group, dilation 1, kernels no smaller than their strides.
 *
 * Output row o gets products of input row i and kernel row k where i * stride + k = o + pad, so
 * that rows with one remainder r of (o + pad) / stride use kernel rows r, r + stride, ... only: a
 * convolution at stride 1 with those rows, reversed. The weights (layout "fours_remainders") hold
 * one stream for each pair of remainders, with the zero point in its biases.
 *
 * Cores share blocks times groups of channels of each remainder, so that each has as many as any
 * other but one; where a remainder's do not divide, the next begins with those that got fewer. */
#include "dpl/conv_transpose2d.h"

#include "dpl/cores.h"
#include "dpl/pulp/remainder.h"

typedef dpl_conv_transpose2d_s8_args args;

/* This core's part of count items when core `turn` takes the first. */
static dpl_share share_from(int32_t turn, int32_t count) {
    const int32_t each = count / DPL_CORE_COUNT, more = count - each * DPL_CORE_COUNT;
    int32_t place = dpl_core_id() - turn;
    place += place < 0 ? DPL_CORE_COUNT : 0;
    dpl_share share = {place * each + (place < more ? place : more), 0};
    share.end = share.begin + each + (place < more);
    return share;
}

/* Items begin to end - 1, item block * groups + group; at least one. */
static void run_items(const args *a, const dpl_remainder *r, const dpl_fours_layer *l,
                      const int8_t *weights, dpl_share items) {
    const int32_t groups = (l->channels + FOUR - 1) / FOUR, pixels = r->y.count * r->x.count;
    int32_t block = items.begin / groups, group = items.begin - block * groups;
    dpl_remainder_pixel p = {.y = FOUR * block / r->x.count};
    p.x = FOUR * block - p.y * r->x.count;
    dpl_remainder_enter(a, r, &p);
    dpl_four_windows f;
    dpl_fours_bounds(&f, l->requant);
    for (int32_t item = items.begin; item < items.end; group = 0, block++) {
        const int32_t left = pixels - FOUR * block, more = items.end - item;
        const int32_t end = more < groups - group ? group + more : groups;
        dpl_remainder_block(a, r, &p, left < FOUR ? left : FOUR, &f);
        dpl_fours_groups(&f, l, weights, group, end);
        item += end - group;
        if (item < items.end) {
            dpl_remainder_next(a, r, &p, 1);
        }
    }
}

/* The outputs of one remainder, by core `turn` first; returns how many items there are. */
static int32_t run_remainder(const args *a, const dpl_remainder *r, const dpl_fours_layer *l,
                             const int8_t *weights, int32_t turn) {
    const int32_t blocks = (r->y.count * r->x.count + FOUR - 1) / FOUR;
    const int32_t items = blocks * ((l->channels + FOUR - 1) / FOUR);
    const dpl_share share = share_from(turn, items);
    if (share.begin < share.end) {
        run_items(a, r, l, weights, share);
    }
    return items;
}

void dpl_conv_transpose2d_s8__xpulpv2(const dpl_conv_transpose2d_s8_args *a) {
    const int32_t channels = a->output.channels, across = a->window.stride_width;
    const int32_t remainders = a->window.stride_height * across;
    const dpl_remainder_scratch scratch = dpl_remainder_scratch_of(a);
    const int8_t *weights = a->weights;
    for (int32_t i = 0, turn = 0; i < remainders; i++) {
        const dpl_remainder r = dpl_remainder_of(a, i / across, i % across, &scratch);
        dpl_fours_layer l = {0, &a->requant, channels, FOUR * r.window + FOUR_TABLES};
        const int8_t *end = weights + (channels + FOUR - 1) / FOUR * l.group_bytes;
        l.bias = (const int32_t *)(const void *)end; /* used, and there, for other rules only */
        turn = (turn + run_remainder(a, &r, &l, weights, turn)) % DPL_CORE_COUNT;
        weights = dpl_fours_rule(l.requant) ? end : end + 4 * channels;
    }
}

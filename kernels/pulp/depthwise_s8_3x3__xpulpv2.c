/* Depthwise 3x3 at stride 1 or 2: four channels at a time are transposed into planes in scratch,
 * piece by piece, whose words hold neighbours of one channel; then products of four, channel after
 * channel. Apart, so that the general loop has not its stack, too.
 *
 * Cores share groups of four channels times rows. */
#include "dpl/pulp/depthwise_by_3x3.h"

#include "dpl/cores.h"
#include "dpl/pulp/transpose.h"

typedef dpl_depthwise_conv2d_s8_args args;

/* 3x3 by a loop of its own. */
typedef struct {
    dpl_planes planes;
    dpl_transpose transpose;
    dpl_depthwise_run rows;
    dpl_run_3x3 *run;
    int32_t multiplier;
    int8_t *copy; /* the planes */
} layer;

/* Pieces' channels are the input's. */

static void enter(const args *a, layer *l) {
    l->planes = dpl_planes_of_3x3(a->window.stride_width, &a->output, a->input.channels);
    dpl_enter_runs(a, &l->rows);
    l->rows.step = l->planes.step;
    l->multiplier = 1;
    if (a->input.channels != a->output.channels) {
        l->multiplier = a->output.channels / a->input.channels;
    }
    l->copy = dpl_enter_transposes(a, &l->planes, l->planes.bytes, &l->transpose);
}

/* Each plane again for all outputs of its channel. */
__attribute__((noinline)) static void multiplied(const args *a, layer *l, const dpl_piece *p) {
    const int8_t *plane = l->copy + (p->channel - p->first) * l->planes.pitch;
    dpl_piece outputs = *p;
    outputs.channel = p->channel * l->multiplier;
    outputs.channels = l->multiplier;
    for (int32_t i = 0; i < p->channels; i++) {
        dpl_run_piece(a, l->run, &outputs, plane, 0, &l->rows);
        outputs.channel += l->multiplier;
        plane += l->planes.pitch;
    }
}

static void piece(const args *a, layer *l, const dpl_piece *p) {
    const int32_t stride = a->window.stride_width, pitch = l->planes.pitch;
    l->transpose.to = l->copy;
    l->transpose.columns = (p->columns - 1) * stride + 3;
    l->transpose.groups = dpl_round_up_4(p->channels) >> 2;
    dpl_transpose_piece(a, &l->transpose, p, (p->rows - 1) * stride + 3);
    if (l->multiplier > 1) {
        multiplied(a, l, p);
        return;
    }
    dpl_run_piece(a, l->run, p, l->copy + (p->channel - p->first) * pitch, pitch, &l->rows);
}

/* Rows y to end - 1 of groups of four channels. */
static void band(const args *a, layer *l, dpl_piece *p, int32_t y, int32_t end) {
    p->first = p->channel;
    if (p->channels < DPL_PLANE) {
        p->first = dpl_four_from(a, p->channel);
    }
    for (p->x = 0; p->x < a->output.width; p->x += l->planes.columns) {
        p->columns = dpl_least(l->planes.columns, a->output.width - p->x);
        for (p->y = y; p->y < end; p->y += p->rows) {
            p->rows = dpl_least(l->planes.rows, dpl_rows_in_a_run(&a->output, p->y, end - p->y));
            piece(a, l, p);
        }
    }
}

/* How many groups from a channel on, all of whose rows are among those, planes hold; a last one of
 * less than four channels is alone. */
static int32_t whole_groups(const args *a, const layer *l, int32_t channel, int32_t rows) {
    int32_t groups = 1;
    while (groups < l->planes.groups && (rows -= a->output.height) >= a->output.height &&
           channel + DPL_PLANE * (groups + 1) <= a->input.channels) {
        groups++;
    }
    return groups;
}

/* This core's rows of groups: whole groups if all cores get as many. */
static void share_of(const args *a, dpl_piece *p, int32_t *y, int32_t *rows) {
    const int32_t groups = dpl_round_up_4(a->input.channels) >> 2, height = a->output.height;
    dpl_share share;
    if (groups % DPL_CORE_COUNT == 0) {
        share = dpl_core_share(groups);
        p->channel = DPL_PLANE * share.begin;
        *y = 0;
        *rows = (share.end - share.begin) * height;
        return;
    }
    share = dpl_core_share(groups * height);
    const int32_t group = share.begin / height;
    p->channel = DPL_PLANE * group;
    *y = share.begin - group * height;
    *rows = share.end - share.begin;
}

void dpl_depthwise_s8_3x3__xpulpv2(const dpl_depthwise_conv2d_s8_args *a, dpl_run_3x3 *run) {
    layer l;
    l.run = run;
    enter(a, &l);
    dpl_piece p;
    int32_t y, left;
    share_of(a, &p, &y, &left);
    for (int32_t rows; left > 0; left -= rows, y = 0) {
        const int32_t groups = y == 0 ? whole_groups(a, &l, p.channel, left) : 1;
        rows = dpl_least(left, groups * a->output.height - y);
        p.channels = dpl_least(DPL_PLANE * groups, a->input.channels - p.channel);
        band(a, &l, &p, y, dpl_least(y + rows, a->output.height));
        p.channel += DPL_PLANE * groups;
    }
}

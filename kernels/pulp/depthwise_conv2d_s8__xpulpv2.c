/* DepthwiseConv2d: four channels at a time are turned into planes in scratch, piece by piece, whose
 * words hold neighbours of one channel; then products of four, channel after channel.
 *
 * Cores share groups of four channels times rows. */
#include "dpl/depthwise_conv2d.h"

#include "dpl/cores.h"
#include "dpl/pulp/depthwise_any.h"
#include "dpl/pulp/depthwise_run.h"
#include "dpl/pulp/turn.h"

typedef dpl_depthwise_conv2d_s8_args args;

typedef struct {
    dpl_planes planes;
    uint32_t *zeros;       /* this core's, and the planes behind it */
    dpl_run_3x3 *run;      /* 3x3 by a loop of its own, or null */
    int32_t channel_bytes; /* of the weights */
} layer;

/* What only the general loop needs is apart, so that the code of 3x3 stays together in the cache.
 */
__attribute__((noinline)) static int32_t enter_any(const args *a, layer *l) {
    l->planes = dpl_planes_of(&a->window, a->output.height, a->output.width);
    l->channel_bytes = dpl_in_fours(a->window.kernel_height * a->window.kernel_width) + 12;
    return l->planes.bytes + dpl_spread_bytes(&l->planes, &a->window);
}

static int32_t enter_3x3(const args *a, layer *l) {
    l->planes = dpl_planes_of_3x3(a->window.stride_width, a->output.height, a->output.width);
    l->channel_bytes = DPL_BYTES_3X3;
    return l->planes.bytes;
}

/* A core's scratch is an odd number of words, so that cores which do the same at the same time do
 * not meet in a bank. */
static layer layer_of(const args *a) {
    layer l;
    l.run = dpl_run_of(a);
    const int32_t bytes = 4 + (l.run ? enter_3x3(a, &l) : enter_any(a, &l));
    l.zeros = (uint32_t *)(void *)((int8_t *)a->scratch + dpl_core_id() * bytes);
    *l.zeros = dpl_bytes_of(a->input_zero);
    return l;
}

static int8_t *planes_of(const layer *l) {
    return (int8_t *)(l->zeros + 1);
}

static void turn(const args *a, const layer *l, const dpl_piece *p) {
    const dpl_window *w = &a->window;
    const int32_t strips = dpl_in_fours(p->columns) >> 2;
    const dpl_part_of_input part = {.channel = p->first,
                                    .y = p->y * w->stride_height - w->pads.top,
                                    .x = p->x * w->stride_width - w->pads.left,
                                    .rows = (p->rows - 1) * w->stride_height + l->planes.tall};
    dpl_turn t;
    t.row_pitch = a->input.row_pitch;
    t.pixel_pitch = a->input.pixel_pitch;
    t.width = a->input.width;
    t.blocks = (strips - 1) * w->stride_width + l->planes.words;
    t.to = planes_of(l);
    t.pitch = l->planes.pitch;
    t.zeros = l->zeros;
    dpl_turn_part(&t, &a->input, &part);
}

static void run_channels(const args *a, const layer *l, const dpl_piece *p) {
    dpl_depthwise_run r;
    r.pitch = l->planes.pitch;
    r.step = DPL_PLANE * l->planes.pitch;
    r.channels = p->channels;
    dpl_run_rows(a, l->run, p, planes_of(l) + (p->channel - p->first) * r.pitch, &r);
}

__attribute__((noinline)) static void any_channels(const args *a, const layer *l, dpl_piece *p) {
    const int32_t multiplier = a->output.channels / a->input.channels;
    const int32_t first = p->channel, end = first + p->channels;
    dpl_depthwise_channel c = {.planes = &l->planes, .weight_bytes = l->channel_bytes};
    c.spread = dpl_spread_in(planes_of(l) + l->planes.bytes, &l->planes, &a->window);
    for (; p->channel < end; p->channel++) {
        c.plane = planes_of(l) + (p->channel / multiplier - p->first) * l->planes.pitch;
        c.weights = a->weights + p->channel * l->channel_bytes;
        dpl_depthwise_any(a, p, &c);
    }
    p->channel = first;
}

/* The first of the four input channels that a group reads, of the last four where less are left. */
__attribute__((noinline)) static int32_t odd_channels(const args *a, int32_t channel) {
    const int32_t first = channel / (a->output.channels / a->input.channels);
    const int32_t last = a->input.channels - DPL_PLANE;
    return last < 0 ? 0 : dpl_least(first, last);
}

/* Rows y to end - 1 of a group of four output channels. */
static void band(const args *a, const layer *l, int32_t group, int32_t y, int32_t end) {
    dpl_piece p;
    p.first = p.channel = DPL_PLANE * group;
    p.channels = dpl_least(DPL_PLANE, a->output.channels - p.channel);
    if (!l->run || p.channels < DPL_PLANE) {
        p.first = odd_channels(a, p.channel);
    }
    for (p.x = 0; p.x < a->output.width; p.x += l->planes.columns) {
        p.columns = dpl_least(l->planes.columns, a->output.width - p.x);
        for (p.y = y; p.y < end; p.y += l->planes.rows) {
            p.rows = dpl_least(l->planes.rows, end - p.y);
            turn(a, l, &p);
            if (l->run) {
                run_channels(a, l, &p);
            } else {
                any_channels(a, l, &p);
            }
        }
    }
}

/* The general loop takes rows in fours. */
void dpl_depthwise_conv2d_s8__xpulpv2(const dpl_depthwise_conv2d_s8_args *a) {
    const layer l = layer_of(a);
    const int32_t unit = l.run ? 0 : 2;
    const int32_t height = (a->output.height + (1 << unit) - 1) >> unit;
    const dpl_share share = dpl_core_share((dpl_in_fours(a->output.channels) >> 2) * height);
    int32_t group = share.begin / height;
    int32_t y = (int32_t)((uint32_t)share.begin - (uint32_t)group * (uint32_t)height);
    for (int32_t left = share.end - share.begin, rows; left > 0; left -= rows, group++, y = 0) {
        rows = dpl_least(left, height - y);
        band(a, &l, group, y << unit, dpl_least((y + rows) << unit, a->output.height));
    }
}

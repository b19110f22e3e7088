/* DepthwiseConv2d 1x1 at stride 1, a batch normalization alone: four channels of all pixels, then
 * the next four. It takes multiplier 1, no pads, rules i32 and shift.
 *
 * Channels that are no fours, one pixel after the other, are seen as pixels of a multiple of as
 * many: five as pixels of twenty, whose weights repeat. What is left over is computed element by
 * element, as are those with gaps between pixels.
 *
 * Cores share fours of channels or pixels. */
#include "dpl/depthwise_conv2d.h"

#include "dpl/cores.h"
#include "dpl/pulp/blocking.h"
#include "dpl/pulp/bytes.h"
#include "dpl/pulp/depthwise_points.h"

typedef dpl_depthwise_conv2d_s8_args args;

enum { CHANNEL_BYTES = 4 + DPL_TABLE_BYTES, GROUP = DPL_GROUP_CHANNELS };
enum { GROUP_BYTES = GROUP * CHANNEL_BYTES };
enum { BEGIN = 2 }; /* pixels, of a group's cycles beside them */

static int8_t element(const args *a, int32_t channel, int32_t x) {
    const int8_t *weights = a->weights + channel * CHANNEL_BYTES;
    const int32_t *tables = (const int32_t *)(const void *)(weights + 4);
    const uint32_t product = (uint32_t)(x * *weights) * (uint32_t)tables[0];
    const int32_t scaled = (int32_t)(product + (uint32_t)tables[1]) >> tables[2];
    return (int8_t)dpl_clamp(scaled, a->requant.low, a->requant.high);
}

/* Rows of rings, or with gaps between pixels of channels that are no fours. */
static void singly(const args *a) {
    const dpl_part part = dpl_core_part(a->output.height, a->output.channels);
    for (int32_t y = part.rows.begin; y < part.rows.end; y++) {
        const int8_t *from = dpl_row_s8(&a->input, y);
        int8_t *to = dpl_row_s8(&a->output, y);
        for (int32_t x = 0; x < a->output.width; x++) {
            for (int32_t c = part.channels.begin; c < part.channels.end; c++) {
                to[c] = element(a, c, from[c]);
            }
            from += a->input.pixel_pitch;
            to += a->output.pixel_pitch;
        }
    }
}

static void enter(const args *a, dpl_depthwise_points_job *j) {
    dpl_points_enter(j, &a->input, &a->output);
    j->weights = a->weights;
    j->low = dpl_bytes_of(a->requant.low);
    j->high = dpl_bytes_of(a->requant.high);
}

/* Pixels of whole fours of channels; rows where they do not follow one another. */
static void fours(const args *a) {
    dpl_depthwise_points_job j;
    enter(a, &j);
    const dpl_share groups = dpl_points_share(&j, a->output.channels / GROUP, BEGIN);
    j.weights += GROUP_BYTES * groups.begin;
    j.groups = groups.end - groups.begin;
    if (j.groups > 0 && j.pixels > 0 && j.lines > 0) {
        dpl_depthwise_points(&j);
    }
}

/* Weights of four neighbours among channels that repeat. */
static void repeat(const args *a, int32_t channel, int8_t *to) {
    for (int32_t i = 0; i < GROUP; i++, channel++, to += CHANNEL_BYTES) {
        while (channel >= a->output.channels) {
            channel -= a->output.channels;
        }
        dpl_copy_words(to, a->weights + channel * CHANNEL_BYTES, CHANNEL_BYTES / 4);
    }
}

/* Elements from `first` on, that of channel 0. */
static void rest(const args *a, int32_t first, int32_t count) {
    const dpl_share share = dpl_core_share(count);
    const int8_t *from = a->input.data + first;
    int8_t *to = a->output.data + first;
    int32_t channel = share.begin;
    for (int32_t i = share.begin; i < share.end; i++, channel++) {
        while (channel >= a->output.channels) {
            channel -= a->output.channels;
        }
        to[i] = element(a, channel, from[i]);
    }
}

/* Pixels of any channels, one after the other. */
static void repeated(const args *a) {
    const int32_t channels = a->output.channels;
    const int32_t wide = channels & 1 ? 4 * channels : 2 * channels, groups = wide / GROUP;
    const int32_t all = a->output.height * a->output.width * channels, pixels = all / wide;
    int8_t *weights = (int8_t *)a->scratch + dpl_core_id() * GROUP_BYTES;
    dpl_depthwise_points_job j;
    enter(a, &j);
    j.pixel = j.out_pixel = wide;
    j.lines = j.groups = 1;
    j.weights = weights;
    const dpl_share share = dpl_core_share(groups * pixels);
    int32_t group = pixels > 0 ? share.begin / pixels : 0;
    int32_t pixel = share.begin - group * pixels;
    for (int32_t left = share.end - share.begin; left > 0; left -= j.pixels, group++, pixel = 0) {
        j.pixels = left < pixels - pixel ? left : pixels - pixel;
        j.from = a->input.data + pixel * wide + GROUP * group;
        j.out = a->output.data + pixel * wide + GROUP * group;
        repeat(a, GROUP * group, weights);
        dpl_depthwise_points(&j);
    }
    rest(a, pixels * wide, all - pixels * wide);
}

void dpl_depthwise_conv2d_s8__xpulpv2_point(const dpl_depthwise_conv2d_s8_args *a) {
    const int rings = (a->input.ring_height | a->output.ring_height) != 0;
    const int dense = dpl_pixels_follow(&a->input) && dpl_pixels_follow(&a->output) &&
                      a->input.pixel_pitch == a->output.channels &&
                      a->output.pixel_pitch == a->output.channels;
    if (!rings && a->output.channels % GROUP == 0) {
        fours(a);
    } else if (dense) {
        repeated(a);
    } else {
        singly(a);
    }
}

/* Each channel's elements times its number: a depthwise 1x1, an image times a pixel. */
#ifndef DPL_PULP_DEPTHWISE_POINTS_H
#define DPL_PULP_DEPTHWISE_POINTS_H

#include <stdint.h>

#include "dpl/cores.h"
#include "dpl/pulp/blocking.h"
#include "dpl/tensor.h"

/* Lines of pixels of groups of four channels; rules i32 and shift. The assembler
 * (depthwise_points.S) has these offsets, too. */
typedef struct {
    const int8_t *from;
    int8_t *out;
    int32_t pixel, out_pixel; /* from a pixel to the next */
    int32_t pixels, lines;    /* at least 1 */
    int32_t gap, out_gap;     /* from behind a line's last pixel to the next line */
    const int8_t *weights;    /* layout "depthwise" */
    int32_t groups;           /* at least 1 */
    uint32_t low, high;       /* in each byte */
} dpl_depthwise_points_job;

void dpl_depthwise_points(const dpl_depthwise_points_job *j);

static inline int dpl_pixels_follow(const dpl_tensor_s8 *t) {
    return t->row_pitch == t->width * t->pixel_pitch && t->ring_height == 0;
}

/* All pixels; one line where nothing parts rows. Groups and weights are left to set. */
static inline void dpl_points_enter(dpl_depthwise_points_job *j, const dpl_tensor_s8 *in,
                                    const dpl_tensor_s8 *out) {
    j->from = in->data;
    j->out = out->data;
    j->pixel = in->pixel_pitch;
    j->out_pixel = out->pixel_pitch;
    j->pixels = out->width;
    j->lines = out->height;
    j->gap = in->row_pitch - out->width * j->pixel;
    j->out_gap = out->row_pitch - out->width * j->out_pixel;
    if (dpl_pixels_follow(in) && dpl_pixels_follow(out)) {
        j->pixels *= j->lines;
        j->lines = 1;
    }
}

/* This core's groups: some of all pixels, or, where those of the last core to end are more, all of
 * some lines or pixels, to which j is set. A group takes as long to begin as `begin` pixels. */
static inline dpl_share dpl_points_share(dpl_depthwise_points_job *j, int32_t groups,
                                         int32_t begin) {
    int32_t *const count = j->lines > 1 ? &j->lines : &j->pixels;
    const int32_t each = (groups + DPL_CORE_COUNT - 1) / DPL_CORE_COUNT;
    const int32_t some = (*count + DPL_CORE_COUNT - 1) / DPL_CORE_COUNT;
    if (each * (*count + begin) <= groups * (some + begin)) {
        const dpl_share share = dpl_core_share(groups);
        j->from += DPL_GROUP_CHANNELS * share.begin;
        j->out += DPL_GROUP_CHANNELS * share.begin;
        return share;
    }
    const dpl_share share = dpl_core_share(*count), all = {0, groups};
    const int32_t wide = j->lines > 1 ? j->pixels : 1;
    j->from += share.begin * (wide * j->pixel + (j->lines > 1 ? j->gap : 0));
    j->out += share.begin * (wide * j->out_pixel + (j->lines > 1 ? j->out_gap : 0));
    *count = share.end - share.begin;
    return all;
}

#endif

/* DepthwiseConv2d 3x3 of an input whose blocks of four pixels of a row by four channels are
 * transposed, as convolutions write them for it: products of four where it lies.
 *
 * Multiplier 1, rules i32 and shift, channels and columns of the input in fours. Not more than one
 * row of a window is above the input, one below; no ring.
 *
 * Cores share channels times rows. */
#ifndef DPL_PULP_DEPTHWISE_BLOCKED_H
#define DPL_PULP_DEPTHWISE_BLOCKED_H

#include "dpl/cores.h"
#include "dpl/depthwise_conv2d.h"
#include "dpl/pulp/bytes.h"
#include "dpl/pulp/depthwise_run.h"
#include "dpl/pulp/depthwise_strips.h"

typedef void dpl_run_strips(const dpl_depthwise_strips_args *s);

static inline void dpl_enter_strips(const dpl_depthwise_conv2d_s8_args *a,
                                    dpl_depthwise_strips_args *s) {
    s->step = a->input.row_pitch;
    s->pixel = a->input.pixel_pitch;
    s->apart = DPL_PLANE * s->pixel;
    s->out_pixel = a->output.pixel_pitch;
    s->forward = a->output.row_pitch - 3 * s->out_pixel;
    s->half_forward = a->output.row_pitch - s->out_pixel;
    s->strips = a->output.width >> 2;
    s->half = a->output.width & 3;
    s->zeros = dpl_bytes_of(a->input_zero);
    s->low = a->requant.low;
    s->high = a->requant.high;
}

/* Rows of some channels. */
static inline void dpl_set_strips(const dpl_depthwise_conv2d_s8_args *a,
                                  dpl_depthwise_strips_args *s, const dpl_piece *p) {
    const int32_t stride = a->window.stride_height, height = a->input.height;
    const int32_t first = p->y * stride - a->window.pads.top;
    s->above = first < 0;
    s->below = first + (p->rows - 1) * stride + 2 >= height;
    s->rows = p->rows - s->below;
    s->rounds = (s->rows + 2) * 21846 >> 16; /* a division, of less than 2^15 */
    s->skipped = 3 * s->rounds - s->rows;
    s->out_back = 4 * s->out_pixel - p->rows * a->output.row_pitch;
    s->channels = p->channels;
    s->among = p->channel & 3;
    s->plane = a->input.data + (first + s->above) * s->step + s->among * s->pixel +
               (p->channel - s->among);
    s->weights = a->weights + p->channel * DPL_BYTES_3X3;
    s->out = a->output.data + p->y * a->output.row_pitch + p->channel;
}

/* `plain` for outputs without bounds of their own, `bounded` for others. */
static inline void dpl_depthwise_blocked(const dpl_depthwise_conv2d_s8_args *a,
                                         dpl_run_strips *plain, dpl_run_strips *bounded) {
    const dpl_requant *q = &a->requant;
    dpl_run_strips *run = q->low > INT8_MIN || q->high < INT8_MAX ? bounded : plain;
    const int32_t height = a->output.height;
    const dpl_share share = dpl_core_share(a->output.channels * height);
    dpl_depthwise_strips_args s;
    dpl_enter_strips(a, &s);
    dpl_piece p = {.channel = share.begin / height};
    p.y = share.begin - p.channel * height;
    for (int32_t left = share.end - share.begin; left > 0; left -= p.rows * p.channels) {
        const int32_t whole = p.y == 0 ? left / height : 0;
        p.channels = whole > 0 ? whole : 1;
        p.rows = whole > 0 ? height : dpl_least(left, height - p.y);
        dpl_set_strips(a, &s, &p);
        run(&s);
        p.channel += p.channels;
        p.y = 0;
    }
}

#endif

/* This core's pixels of an output, along the rows, with the channels of each. */
#ifndef DPL_PULP_PIXELS_H
#define DPL_PULP_PIXELS_H

#include "dpl/cores.h"
#include "dpl/tensor.h"

typedef struct {
    int32_t y, x, left;
    dpl_share channels;
} dpl_pixels;

/* Whole words of channels where there are fewer pixels than cores; the last core takes what
 * remains of them. */
static inline dpl_share dpl_share_words(int32_t channels) {
    dpl_share share = dpl_core_share(channels >> 2);
    share.begin *= 4;
    share.end = dpl_core_id() == DPL_CORE_COUNT - 1 ? channels : 4 * share.end;
    return share;
}

static inline dpl_pixels dpl_pixels_of(const dpl_tensor_s8 *output) {
    int32_t count = output->height * output->width;
    dpl_share share = {0, count};
    dpl_pixels p = {.channels = {0, output->channels}};
    if (count < DPL_CORE_COUNT) {
        p.channels = dpl_share_words(output->channels);
    } else {
        share = dpl_core_share(count);
    }
    p.y = share.begin / output->width;
    p.x = share.begin - p.y * output->width;
    p.left = p.channels.begin < p.channels.end ? share.end - share.begin : 0;
    return p;
}

/* Past count pixels of a row. */
static inline void dpl_pixels_next(dpl_pixels *p, const dpl_tensor_s8 *output, int32_t count) {
    p->left -= count;
    p->x += count;
    if (p->x == output->width) {
        p->x = 0;
        p->y++;
    }
}

static inline int8_t *dpl_pixels_out(const dpl_pixels *p, const dpl_tensor_s8 *output) {
    return dpl_row_s8(output, p->y) + p->x * output->pixel_pitch;
}

#endif

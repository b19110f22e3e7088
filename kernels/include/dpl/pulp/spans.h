/* Runs of this core's elements: words of tensors without gaps, else pixels of a row, or some
 * channels of each where pixels are few. */
#ifndef DPL_PULP_SPANS_H
#define DPL_PULP_SPANS_H

#include "dpl/cores.h"
#include "dpl/pulp/pixels.h"

static inline int dpl_without_gaps(const dpl_tensor_s8 *t) {
    return t->pixel_pitch == t->channels && t->row_pitch == t->width * t->channels &&
           t->ring_height == 0;
}

/* This core's part of as many elements as the tensor has. */
static inline dpl_share dpl_share_elements(const dpl_tensor_s8 *t) {
    return dpl_share_words(t->height * t->width * t->channels);
}

/* Pixels of p that lie in its row. */
static inline int32_t dpl_span_count(const dpl_pixels *p, const dpl_tensor_s8 *output) {
    const int32_t left = output->width - p->x;
    return left < p->left ? left : p->left;
}

/* The first byte of p in a tensor of the output's shape. */
static inline int8_t *dpl_span_start(const dpl_tensor_s8 *t, const dpl_pixels *p) {
    return dpl_row_s8(t, p->y) + p->x * t->pixel_pitch + p->channels.begin;
}

#endif

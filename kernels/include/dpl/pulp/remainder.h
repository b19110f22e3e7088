/* The outputs of a transposed convolution whose places have one remainder by the strides. */
#ifndef DPL_PULP_REMAINDER_H
#define DPL_PULP_REMAINDER_H

#include <stdint.h>

/* One axis: outputs first, first + stride, ... */
typedef struct {
    int32_t first, count;
    int32_t taps;
    int32_t pad; /* before the first input, negative where inputs are skipped */
} dpl_remainder_axis;

/* A number by a stride: number = each * stride + more, more from 0 to stride - 1. */
typedef struct {
    int32_t each, more;
} dpl_divided;

/* Of one axis, divided once. */
typedef struct {
    int32_t stride;
    dpl_divided kernel, pad, extent;
} dpl_remainder_sizes;

static inline dpl_divided dpl_strides_of(int32_t number, int32_t stride) {
    dpl_divided s = {number / stride, 0};
    s.more = number - s.each * stride;
    if (s.more < 0) {
        s.more += stride;
        s.each--;
    }
    return s;
}

static inline dpl_remainder_sizes dpl_remainder_sizes_of(int32_t stride, int32_t kernel,
                                                         int32_t pad, int32_t extent) {
    dpl_remainder_sizes s = {stride, dpl_strides_of(kernel, stride), dpl_strides_of(pad, stride),
                             dpl_strides_of(extent, stride)};
    return s;
}

/* Outputs o where o + pad has remainder r. */
static inline void dpl_remainder_axis_of(dpl_remainder_axis *axis, const dpl_remainder_sizes *s,
                                         int32_t r) {
    const int32_t next = r < s->pad.more; /* not before the next multiple of the stride */
    axis->first = r - s->pad.more + (next ? s->stride : 0);
    axis->count = s->extent.each + (axis->first < s->extent.more);
    axis->taps = s->kernel.each + (r < s->kernel.more);
    axis->pad = axis->taps - 1 - s->pad.each - next;
}

#endif

/* One axis of a transposed convolution.
 *
 * Output row o gets products of input row i and kernel row k where i * stride + k = o + pad, so
 * that rows with one remainder r of (o + pad) / stride use kernel rows r, r + stride, ... only: a
 * convolution at stride 1 with those rows, reversed. */
#ifndef DPL_REMAINDER_AXIS_H
#define DPL_REMAINDER_AXIS_H

#include "dpl/stripes.h"

/* One axis of one remainder. */
typedef struct {
    stripes outputs;
    int32_t taps;
    int32_t pad; /* before the first input, negative where inputs are skipped */
} remainder_axis;

static inline remainder_axis axis_of(int32_t r, int32_t stride, int32_t kernel, int32_t pad,
                                     int32_t extent) {
    const int32_t first = (r - pad % stride + stride) % stride;
    remainder_axis axis = {{first, stride, 0}, (kernel - r + stride - 1) / stride, 0};
    axis.outputs.count = first < extent ? (extent - first + stride - 1) / stride : 0;
    axis.pad = axis.taps - 1 - (first + pad - r) / stride; /* pads may be negative */
    return axis;
}

#endif

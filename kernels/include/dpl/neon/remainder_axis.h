/* Rows or columns of a transposed convolution with one remainder of the stride.
 *
 * Output row o gets products of input row i and kernel row k where i * stride + k = o + pad: rows
 * with one remainder of (o + pad) / stride use every stride-th kernel row, reversed. */
#ifndef DPL_NEON_REMAINDER_AXIS_H
#define DPL_NEON_REMAINDER_AXIS_H

#include "dpl/neon/stripes.h"

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

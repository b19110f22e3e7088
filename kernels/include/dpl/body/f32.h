/* float activations: the twin of s8.h. Sums are in one order whatever the block an element is in,
 * and products are rounded before they are added (ISO C fuses none), so that every plan and every
 * number of cores gives the same floats. */
#ifndef DPL_BODY_ACTIVATIONS_H
#define DPL_BODY_ACTIVATIONS_H

#include "dpl/tensor.h"
#include "dpl/window.h"

typedef float element;
typedef dpl_tensor_f32 tensor;

#define row_of dpl_row_f32

/* Positions count elements, so those of an int8 tensor of the same shape serve; the compiler drops
 * the fields that are not looked at. */
static inline dpl_tensor_s8 shape_of(const tensor *t) {
    dpl_tensor_s8 shape = {
        .height = t->height,
        .width = t->width,
        .channels = t->channels,
        .row_pitch = t->row_pitch,
        .pixel_pitch = t->pixel_pitch,
        .ring_height = t->ring_height,
        .first_row = t->first_row,
    };
    return shape;
}

static inline dpl_row_walk walk_rows(const tensor *t, int32_t y, int32_t dilation) {
    const dpl_tensor_s8 shape = shape_of(t);
    return dpl_walk_rows(&shape, y, dilation);
}

static inline dpl_taps taps_of_row(const tensor *input, const dpl_window *w, int32_t y) {
    const dpl_tensor_s8 shape = shape_of(input);
    return dpl_taps_of_row(&shape, w, y);
}

static inline void taps_of_column(dpl_taps *taps, const tensor *input, const dpl_window *w,
                                  int32_t x) {
    const dpl_tensor_s8 shape = shape_of(input);
    dpl_taps_of_column(taps, &shape, w, x);
}

/* x, no less than low and no more than high; NaN stays, and -0 at a bound of 0 becomes the bound.
 */
static inline float bounded(float x, float low, float high) {
    return x <= low ? low : x >= high ? high : x;
}

#endif

/* An axis of a depthwise convolution's copy: rows or columns. */
#ifndef DPL_PULP_COPIED_AXIS_H
#define DPL_PULP_COPIED_AXIS_H

#include <stdint.h>

/* Where all that is read is some of them apart, the copy has only those. */
typedef struct {
    int32_t inputs, in_pitch, outputs, out_pitch, taps, pad;
    int32_t apart;
    int32_t stride, dilation; /* of those of the copy */
    int32_t span;             /* of a window, of those */
    int32_t to;               /* bytes from one to the next in the copy */
    int32_t most;             /* outputs of a piece */
} dpl_copied_axis;

static inline int32_t dpl_copied_span(const dpl_copied_axis *x, int32_t outputs) {
    return (outputs - 1) * x->stride + x->span;
}

static inline void dpl_thin_out(dpl_copied_axis *x) {
    x->apart = 1;
    if (x->stride > 1 && (x->taps == 1 || x->dilation % x->stride == 0)) {
        x->apart = x->stride;
        x->dilation = x->taps == 1 ? 1 : x->dilation / x->stride;
        x->stride = 1;
    }
    x->span = (x->taps - 1) * x->dilation + 1;
}

/* How many of the copy's lie before so many of the input. */
static inline int32_t dpl_copied_before(const dpl_copied_axis *x, int32_t inputs) {
    return x->apart == 1 || inputs <= 0 ? inputs : (inputs + x->apart - 1) / x->apart;
}

#endif

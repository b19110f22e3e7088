/* Rows or columns of the input as a window's taps meet them: a tap reads every stride-th, so that
 * those with one remainder of the stride are a plane of their own, in which neighbouring outputs
 * read neighbours. */
#ifndef DPL_NEON_PLANE_AXIS_H
#define DPL_NEON_PLANE_AXIS_H

#include <stdint.h>

typedef struct {
    int32_t stride, dilation, pad, taps;
    int32_t remainders; /* that taps meet: those of the first taps, then the same again */
    int32_t first;      /* where tap 0 of output 0 is in its plane, before 0 where that is padded */
    int32_t span;       /* from there to the last tap of output 0 */
    int32_t apart;      /* whether each tap has a plane of its own, with no cells between rows */
} plane_axis;

/* The quotient rounded down. */
static inline int32_t floored(int32_t a, int32_t by) {
    return a >= 0 ? a / by : -((by - 1 - a) / by);
}

static inline plane_axis plane_axis_of(int32_t taps, int32_t stride, int32_t dilation,
                                       int32_t pad) {
    plane_axis axis = {stride, dilation, pad, taps, 1, floored(-pad, stride), 0, 0};
    axis.span = floored((taps - 1) * dilation - pad, stride) - axis.first;
    while (axis.remainders < taps && axis.remainders * dilation % stride != 0) {
        axis.remainders++;
    }
    return axis;
}

/* Whether all taps have one plane, in equal distances. */
static inline int is_even(const plane_axis *axis) {
    return axis->dilation % axis->stride == 0;
}

/* Places from a tap to the next in a plane. */
static inline int32_t cells_apart(const plane_axis *axis) {
    return is_even(axis) ? axis->dilation / axis->stride : 1;
}

/* The same with a plane for each tap, in which outputs lie one behind the other. */
static inline void take_apart(plane_axis *axis) {
    axis->apart = 1;
    axis->remainders = axis->taps;
    axis->first = axis->span = 0;
}

/* The input row or column of plane `i` at place 0, from `first` on. */
static inline int32_t plane_begin(const plane_axis *axis, int32_t i) {
    const int32_t at = i * axis->dilation - axis->pad;
    return axis->apart ? at
                       : at - floored(at, axis->stride) * axis->stride + axis->first * axis->stride;
}

/* Where tap `i` of output 0 is in its plane. */
static inline int32_t plane_place(const plane_axis *axis, int32_t i) {
    return axis->apart ? 0 : floored(i * axis->dilation - axis->pad, axis->stride) - axis->first;
}

/* Places of plane `i` that padding has, before the first input. */
static inline int32_t places_padded(const plane_axis *axis, int32_t i) {
    const int32_t before = -plane_begin(axis, i);
    if (!axis->apart) {
        return axis->first < 0 ? -axis->first : 0;
    }
    return before > 0 ? (before + axis->stride - 1) / axis->stride : 0;
}

/* Places of plane `i` before input 0, and before the end of an input of so many. */
static inline int32_t places_before(const plane_axis *axis, int32_t i, int32_t extent) {
    const int32_t left = extent - plane_begin(axis, i);
    return left > 0 ? (left + axis->stride - 1) / axis->stride : 0;
}

#endif

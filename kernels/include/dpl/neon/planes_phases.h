/* A convolution of dilated rows as several that are not, each of every so many-th row of the
 * output: windows then span no rows that they do not meet, so that planes of a strip are filled
 * once, not again for each strip. Included behind planes.h. */
#ifndef DPL_NEON_PLANES_PHASES_H
#define DPL_NEON_PLANES_PHASES_H

#include "dpl/neon/plane_axis.h"
#include "dpl/neon/planes_shape.h"

/* How many: one where planes of all rows have room. `v` has its shape. */
static inline int32_t phases_of(const convolution *v) {
    const dpl_window *w = &v->window;
    const int32_t rows = v->output.height, rings = v->input.ring_height | v->output.ring_height;
    const int one =
        rows * v->pitch <= DPL_PLANE_POSITIONS && plane_bytes(v, rows) <= DPL_PLANES_BYTES;
    const int whole = w->dilation_height % w->stride_height == 0 && w->kernel_height > 1;
    return whole && !one && rings == 0 ? w->dilation_height / w->stride_height : 1;
}

/* Phase `i` of `count`. */
static inline void take_phase(convolution *v, int32_t i, int32_t count) {
    dpl_window *w = &v->window;
    const int32_t step = w->dilation_height, origin = i * w->stride_height - w->pads.top;
    const int32_t first = origin - floored(origin, step) * step, left = v->input.height - first;
    if (count == 1) {
        return;
    }
    v->rows.first = i;
    v->rows.step = count;
    v->rows.count = (v->output.height - i + count - 1) / count;
    v->input.data += first * v->input.row_pitch;
    v->input.height = left > 0 ? (left + step - 1) / step : 0;
    v->input.row_pitch *= step;
    w->pads.top = (first - origin) / step;
    w->stride_height = w->dilation_height = 1;
}

#endif

/* Rows for columns, of what an operator consists of. A file names `tensor` before this. */
#ifndef DPL_CORTEX_M_TURN_H
#define DPL_CORTEX_M_TURN_H

#include "dpl/window.h"

static inline int32_t swap(int32_t *x, int32_t y) {
    const int32_t old = *x;
    *x = y;
    return old;
}

static inline void turn_tensor(tensor *t) {
    t->width = swap(&t->height, t->width);
    t->pixel_pitch = swap(&t->row_pitch, t->pixel_pitch);
}

/* But for the pads behind the input, which some operators do not read. */
static inline void turn_window(dpl_window *w) {
    w->kernel_width = swap(&w->kernel_height, w->kernel_width);
    w->stride_width = swap(&w->stride_height, w->stride_width);
    w->dilation_width = swap(&w->dilation_height, w->dilation_width);
    w->pads.left = swap(&w->pads.top, w->pads.left);
}

#endif

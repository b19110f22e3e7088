/* A convolution with rows for columns. A file names `tensor`, `stripes` and `convolution` before
 * this. */
#ifndef DPL_CORTEX_M_TURN_CONVOLUTION_H
#define DPL_CORTEX_M_TURN_CONVOLUTION_H

#include "dpl/cortex_m/turn.h"

static inline void turn(convolution *v) {
    const stripes rows = v->rows;
    turn_tensor(&v->input);
    turn_tensor(&v->output);
    v->rows = v->columns;
    v->columns = rows;
    turn_window(&v->window);
}

#endif

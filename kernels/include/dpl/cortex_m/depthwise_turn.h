/* A depthwise convolution with rows for columns. A file names `tensor` and `args` before this. */
#ifndef DPL_CORTEX_M_DEPTHWISE_TURN_H
#define DPL_CORTEX_M_DEPTHWISE_TURN_H

#include "dpl/cortex_m/turn.h"

/* Rows for columns. */
static void turn(args *t) {
    dpl_window *w = &t->window;
    turn_tensor(&t->input);
    turn_tensor(&t->output);
    turn_window(w);
    w->pads.right = swap(&w->pads.bottom, w->pads.right);
}

/* A copy that may be turned; of members, as gcc calls memcpy for the whole. */
static inline void copy_args(args *t, const args *a) {
    t->input = a->input;
    t->output = a->output;
    t->weights = a->weights;
    t->bias = a->bias;
    t->window = a->window;
    t->input_zero = a->input_zero;
    t->requant = a->requant;
    t->scratch = a->scratch;
}

/* Whether the image is a column of single taps: as a row its pixels follow one another, too, and
 * share a list of taps. */
static inline int is_column(const args *a) {
    const int one = a->input.width == 1 && a->output.width == 1 && a->window.kernel_width == 1;
    return one && !a->input.ring_height && !a->output.ring_height;
}

#endif

/* A depthwise convolution with rows for columns. A file names `tensor` and `args` before this. */
#ifndef DPL_CORTEX_M_DEPTHWISE_TURN_H
#define DPL_CORTEX_M_DEPTHWISE_TURN_H

static inline int32_t swap(int32_t *x, int32_t y) {
    const int32_t old = *x;
    *x = y;
    return old;
}

static void turn_tensor(tensor *t) {
    t->width = swap(&t->height, t->width);
    t->pixel_pitch = swap(&t->row_pitch, t->pixel_pitch);
}

/* Rows for columns. */
static void turn(args *t) {
    dpl_window *w = &t->window;
    turn_tensor(&t->input);
    turn_tensor(&t->output);
    w->kernel_width = swap(&w->kernel_height, w->kernel_width);
    w->stride_width = swap(&w->stride_height, w->stride_width);
    w->dilation_width = swap(&w->dilation_height, w->dilation_width);
    w->pads.left = swap(&w->pads.top, w->pads.left);
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

#endif

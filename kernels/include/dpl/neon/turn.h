/* Rows of a convolution as its columns. Included behind the definition of `convolution`. */
#ifndef DPL_NEON_TURN_H
#define DPL_NEON_TURN_H

static inline void swap(int32_t *a, int32_t *b) {
    const int32_t both = *a;
    *a = *b;
    *b = both;
}

static inline void turn(convolution *v) {
    dpl_window *w = &v->window;
    const stripes rows = v->rows;
    v->rows = v->columns;
    v->columns = rows;
    swap(&v->input.height, &v->input.width);
    swap(&v->input.row_pitch, &v->input.pixel_pitch);
    swap(&v->output.row_pitch, &v->output.pixel_pitch);
    swap(&w->kernel_height, &w->kernel_width);
    swap(&w->stride_height, &w->stride_width);
    swap(&w->dilation_height, &w->dilation_width);
    swap(&w->pads.top, &w->pads.left);
}

#endif

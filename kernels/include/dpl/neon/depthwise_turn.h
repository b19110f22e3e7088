/* Columns of pixels of a depthwise convolution as rows of them. */
#ifndef DPL_NEON_DEPTHWISE_TURN_H
#define DPL_NEON_DEPTHWISE_TURN_H

#include "dpl/neon/depthwise_blocks.h"

#define SLIDING_TAPS 3 /* of a row, from which on neighbours share loads of int16 */

static inline int32_t whole_words(int32_t bytes) {
    return (bytes + 15) / 16 * 16;
}

/* In whole steps. */
static inline int32_t listed_taps(const dpl_window *w) {
    return (w->kernel_height * w->kernel_width + TAP_STEP - 1) / TAP_STEP * TAP_STEP;
}

static inline int32_t in_blocks(int32_t pixels) {
    return (pixels + PIXELS - 1) / PIXELS * PIXELS;
}

static inline int has_ring(const depthwise *d) {
    return (d->input.ring_height | d->output.ring_height) != 0;
}

static inline int is_column(const depthwise *d) {
    const dpl_window *w = &d->window;
    return d->input.width == 1 && d->output.width == 1 && w->kernel_width == 1 &&
           (w->pads.left | w->pads.right) == 0;
}

/* Whether windows are columns of int16 whose taps are neighbours: turned, four pixels load one
 * value a tap, not four. Blocks are no emptier for it than that gains; pixels side by side have no
 * such sums. The same in deployer/kernelset/neon/depthwise_turn.py. */
static inline int is_long(const depthwise *d) {
    const dpl_window *w = &d->window;
    const int32_t height = d->output.height, width = d->output.width;
    const int column = w->kernel_width == 1 && w->kernel_height >= SLIDING_TAPS;
    const int dense = w->stride_height == 1 && w->dilation_height == 1;
    const int full = in_blocks(height) * width * 3 <= in_blocks(width) * height * 4;
    return ELEMENT_BYTES == 2 && column && dense && full && height >= PIXELS && d->group == 1;
}

static inline void turn_tensor(dpl_tensor_s8 *t) {
    const int32_t height = t->height, row_pitch = t->row_pitch;
    t->height = t->width;
    t->row_pitch = t->pixel_pitch;
    t->width = height;
    t->pixel_pitch = row_pitch;
}

/* Twice is as before. */
static inline void turn(depthwise *d) {
    const dpl_window w = d->window;
    const dpl_window turned = {w.kernel_width,
                               w.kernel_height,
                               w.stride_width,
                               w.stride_height,
                               w.dilation_width,
                               w.dilation_height,
                               {w.pads.left, w.pads.top, w.pads.right, w.pads.bottom}};
    d->window = turned;
    turn_tensor(&d->input);
    turn_tensor(&d->output);
}

/* Whether it did: a ring of rows stays as it is. */
static inline int turn_columns(depthwise *d) {
    const int turns = !has_ring(d) && (d->period > 0 || is_column(d) || is_long(d));
    if (turns) {
        turn(d);
    }
    return turns;
}

#endif

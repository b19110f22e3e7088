/* The image as the loops of a depthwise convolution take it: rows for columns where that fills
 * blocks of outputs better, and without the rows and columns that no window reads. */
#ifndef DPL_CORTEX_M_DEPTHWISE_VIEW_H
#define DPL_CORTEX_M_DEPTHWISE_VIEW_H

#include "dpl/cortex_m/depthwise_plan.h"
#include "dpl/cortex_m/depthwise_turn.h"

/* How many lines apart all those are that windows read: the common divisor of stride and dilation,
 * which a single tap does not have. */
static int32_t lines_apart(int32_t stride, int32_t dilation, int32_t taps) {
    int32_t a = stride, b = taps > 1 ? dilation : stride;
    while (b > 0) {
        const int32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Rows or columns of a tensor, elements from one to the next, and the window along them. */
typedef struct {
    int32_t *extent, *pitch, *stride, *dilation, *pad;
} axis;

/* Leaves every `apart`th line; elements to the first of them. */
static int32_t thin_axis(axis of, int32_t taps) {
    const int32_t apart = lines_apart(*of.stride, *of.dilation, taps);
    const int32_t first = (apart - *of.pad % apart) % apart, offset = first * *of.pitch;
    *of.extent = *of.extent > first ? (*of.extent - first + apart - 1) / apart : 0;
    *of.pad = (*of.pad + first) / apart;
    *of.pitch *= apart;
    *of.stride /= apart;
    *of.dilation = taps > 1 ? *of.dilation / apart : 1;
    return offset;
}

/* Leaves the lines that windows read. Those of a ring are not all as far apart. */
static void thin(args *a) {
    tensor *t = &a->input;
    dpl_window *w = &a->window;
    const axis rows = {&t->height, &t->row_pitch, &w->stride_height, &w->dilation_height,
                       &w->pads.top};
    const axis columns = {&t->width, &t->pixel_pitch, &w->stride_width, &w->dilation_width,
                          &w->pads.left};
    t->data += thin_axis(columns, w->kernel_width);
    if (t->ring_height == 0) {
        t->data += thin_axis(rows, w->kernel_height);
    }
}

/* Terms of a row of taps times blocks of a line of outputs. */
static int32_t products_of(int32_t outputs, int32_t taps, int32_t stride, int32_t dilation) {
    const int32_t apart = lines_apart(stride, dilation, taps);
    if (stride > apart) {
        return (taps + 1) / 2 * blocks_of(outputs);
    }
    const int32_t phases = taps > 1 ? dilation / apart : 1;
    return (taps / 2 + 1) * blocks_of((outputs + phases - 1) / phases) * phases;
}

/* Whether columns of the image fill blocks better than its rows, by a quarter. Rings have no
 * columns that lie as rows do. */
static int turns(const args *a) {
    const dpl_window *w = &a->window;
    const int32_t tall = a->output.height, wide = a->output.width;
    if (a->input.ring_height || a->output.ring_height || w->stride_height != w->stride_width) {
        return 0;
    }
    const int32_t rows = products_of(wide, w->kernel_width, w->stride_width, w->dilation_width) *
                         w->kernel_height * tall;
    const int32_t columns =
        products_of(tall, w->kernel_height, w->stride_height, w->dilation_height) *
        w->kernel_width * wide;
    return 5 * columns < 4 * rows;
}

#endif

/* The image as the loops of a depthwise convolution take it: rows for columns where that fills
 * blocks of outputs better, and without the rows and columns that no window reads. */
#ifndef DPL_CORTEX_M_DEPTHWISE_VIEW_H
#define DPL_CORTEX_M_DEPTHWISE_VIEW_H

#include "dpl/cortex_m/depthwise_plan.h"
#include "dpl/cortex_m/depthwise_turn.h"

/* What begins and ends four outputs; what a loop of terms adds to a row of taps; and a line that
 * ends by way of the room, which those of columns all do where outputs fill no blocks. */
enum { CYCLES_OF_BLOCK = 19, CYCLES_BEYOND = 14, CYCLES_OF_ROOM = 15 };

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
    if (apart == 1 && taps > 1) {
        return 0;
    }
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

/* Cycles of four outputs for a row of taps, as dpl/cortex_m/slide.h has them: lines where windows
 * slide have terms in a row of instructions or, beyond FIVE, in a loop that ends with a branch that
 * fails; at a stride pairs of taps lie in lines of their own or follow one another. */
static int32_t cycles_of_row(int32_t taps, int32_t stride, int32_t dilation) {
    const int32_t pairs = (taps + 1) / 2, terms = filled_terms(taps / 2 + 1);
    if (stride > 1) {
        return stride == 2 && dilation == 1 && pairs <= FIVE ? 4 * filled_terms(pairs) + 2
                                                             : 6 * pairs;
    }
    return 4 * terms + (terms > FIVE ? CYCLES_BEYOND : terms > 1 ? 1 : 2);
}

/* Of a line of outputs and `rows` rows of taps. */
static int32_t cycles_of(int32_t outputs, int32_t taps, int32_t stride, int32_t dilation,
                         int32_t rows) {
    const int32_t apart = lines_apart(stride, dilation, taps), left = stride / apart;
    const int32_t steps = taps > 1 ? dilation / apart : 1, phases = left > 1 ? 1 : steps;
    const int32_t blocks = blocks_of((outputs + phases - 1) / phases) * phases;
    return blocks * (CYCLES_OF_BLOCK + rows * cycles_of_row(taps, left, steps));
}

/* Whether columns of the image take less than rows, by a ninth. Rings have no columns that lie as
 * rows do. */
static int turns(const args *a) {
    const dpl_window *w = &a->window;
    const int32_t tall = a->output.height, wide = a->output.width;
    if (a->input.ring_height || a->output.ring_height || w->stride_height != w->stride_width) {
        return 0;
    }
    const int32_t rows = tall * cycles_of(wide, w->kernel_width, w->stride_width, w->dilation_width,
                                          w->kernel_height);
    const int32_t columns = wide * cycles_of(tall, w->kernel_height, w->stride_height,
                                             w->dilation_height, w->kernel_width);
    return 9 * (columns + (tall % OUTPUTS > 0 ? wide * CYCLES_OF_ROOM : 0)) < 8 * rows;
}

#endif

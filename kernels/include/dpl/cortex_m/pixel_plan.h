/* How a depthwise convolution by pixels is cut: bands of output rows, the windows of a band that
 * lie inside, and what scratch holds: fours of pixels, steps from tap to tap, copies of the input.
 * deployer/kernelset/cortex_m/depthwise_pixels.py plans the same. */
#ifndef DPL_CORTEX_M_PIXEL_PLAN_H
#define DPL_CORTEX_M_PIXEL_PLAN_H

#include "dpl/cortex_m/blocking.h"
#include "dpl/cortex_m/pixel_taps.h"

enum { SIZE = sizeof(element), CACHE_LINES = 32 }; /* bytes of a pixel that channels bring along */

/* Output pixels. */
typedef struct {
    dpl_share rows, columns;
} rect;

typedef struct {
    const args *a;
    int32_t taps, row; /* of a window, and of its rows that have a loop, or 0 */
    pixel_loop loop;
    int32_t zero; /* that scaled sums are added to */
    rect inside;  /* windows that lie in the input */
    int all_copied;
    int32_t band; /* output rows at a time */
    four_pixels *list;
    int32_t *steps;
    char *copies;
} plan;

/* Rows or columns that so many outputs read, one behind the other. */
static inline int32_t reach_of(int32_t outputs, int32_t stride, int32_t taps, int32_t dilation) {
    return (outputs - 1) * stride + (taps - 1) * dilation + 1;
}

/* Outputs whose windows, of so many rows or columns, lie inside. */
static dpl_share inside_of(int32_t outputs, int32_t stride, int32_t pad, int32_t span,
                           int32_t extent) {
    const int32_t room = extent + pad - span, begin = (pad + stride - 1) / stride;
    const int32_t end = room < 0 ? 0 : room / stride + 1, last = end < outputs ? end : outputs;
    return (dpl_share){begin < last ? begin : last, last};
}

static inline int32_t count_of(dpl_share share) {
    return share.end - share.begin;
}

/* Rows of a band: what its channels read stays in the cache. */
static int32_t rows_of_band(const plan *p) {
    const dpl_window *w = &p->a->window;
    const tensor *input = &p->a->input, *output = &p->a->output;
    const int32_t pixel = input->channels * SIZE,
                  span = (w->kernel_height - 1) * w->dilation_height;
    const int32_t wide =
        reach_of(output->width, w->stride_width, w->kernel_width, w->dilation_width);
    const int32_t row =
        p->all_copied ? wide * pixel : input->width * (pixel < CACHE_LINES ? pixel : CACHE_LINES);
    const int32_t further = (DPL_PIXEL_BAND_BYTES / row - span - 1) / w->stride_height;
    const int32_t rows = further > 0 ? 1 + further : 1;
    const int32_t bands = (output->height + rows - 1) / rows;
    return (output->height + bands - 1) / bands;
}

static inline int32_t fours_of(int32_t pixels) {
    return (pixels + FOUR - 1) / FOUR;
}

/* Fours of a row at the most. */
static int32_t fours_of_row(const plan *p) {
    const dpl_share inside = p->inside.columns;
    const int32_t width = p->a->output.width;
    if (p->all_copied) {
        return fours_of(width);
    }
    return fours_of(inside.begin) + fours_of(count_of(inside)) + fours_of(width - inside.end);
}

/* Words of a list of steps; nine taps have none, nor have rows that have a loop. */
static inline int32_t step_words(const plan *p) {
    return p->row > 0 ? 0 : (p->taps + 1) / 2 * 2 + 1;
}

/* Taps of rows that have a loop: nine are three of three. */
static int32_t looped_row(const dpl_window *w) {
    const int32_t width = w->kernel_width;
    return w->kernel_height * width == NINE ? 3 : width == 4 || width == 5 ? width : 0;
}

/* int16 of an output channel's weights; rows of five are filled up. */
static inline int32_t weights_of(const plan *p) {
    return p->row == 5 ? p->taps / 5 * 6 : (p->taps + 1) / 2 * 2;
}

static void plan_pixels(plan *p, const args *a) {
    const dpl_window *w = &a->window;
    const int32_t tall = reach_of(1, 1, w->kernel_height, w->dilation_height);
    const int32_t wide = reach_of(1, 1, w->kernel_width, w->dilation_width);
    p->a = a;
    p->taps = w->kernel_height * w->kernel_width;
    p->row = looped_row(w);
    p->inside.rows =
        inside_of(a->output.height, w->stride_height, w->pads.top, tall, a->input.height);
    p->inside.columns =
        inside_of(a->output.width, w->stride_width, w->pads.left, wide, a->input.width);
    p->all_copied = 2 * count_of(p->inside.rows) * count_of(p->inside.columns) <
                    a->output.height * a->output.width;
    p->band = rows_of_band(p);
    p->list = a->scratch;
    p->steps = (int32_t *)(void *)(p->list + p->band * fours_of_row(p) + 1);
    p->copies = (char *)(p->steps + (p->all_copied ? 1 : DPL_PIXEL_PARTS) * step_words(p));
}

#endif

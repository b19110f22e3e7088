/* How a convolution on windows where they lie is cut (dpl/cortex_m/direct_s16.h): what is copied,
 * which words are listed, where they are. */
#ifndef DPL_CORTEX_M_DIRECT_PLAN_H
#define DPL_CORTEX_M_DIRECT_PLAN_H

#include "dpl/body/s16.h"
#include "dpl/cortex_m/blocking.h"
#include "dpl/cortex_m/direct_points.h"
#include "dpl/cortex_m/remainder_axis.h"

typedef struct {
    tensor input, output;
    stripes rows, columns; /* of the output */
    dpl_window window;
    int32_t groups, input_zero;
    const uint32_t *weights;
    const dpl_requant *requant;
    void *scratch;
} convolution;

#include "dpl/cortex_m/turn_convolution.h"

typedef struct {
    const convolution *v;
    int turned;
    int32_t depth, channels; /* of a group */
    int32_t words;           /* of a tap */
    int32_t point;           /* words of a window of few of them, else 0 */
    int32_t piece;           /* words of a pair */
    int32_t in_place;        /* no copies */
    int32_t pixel;           /* elements from a pixel of what is read to the next */
    int32_t row, span;       /* of a copy; rows of the ring */
    int32_t first;           /* elements to the first word of windows */
    direct_job job;          /* what all have in common */
    int32_t *tags;           /* of the ring's rows, which of the input they are */
    int32_t *list;
    int32_t *room;
    element *copies;
} plan;

enum { ROOM_BLOCKS = DPL_RING_ROOM_BLOCKS, FEWEST_POINT_PAIRS = DPL_POINT_PAIRS };

static inline int32_t least(int32_t a, int32_t b) {
    return a < b ? a : b;
}

/* Input rows or columns that so many outputs reach. */
static inline int32_t reach(int32_t outputs, int32_t stride, int32_t kernel, int32_t dilation) {
    return (outputs - 1) * stride + (kernel - 1) * dilation + 1;
}

static inline int32_t reached_columns(const convolution *v) {
    const dpl_window *w = &v->window;
    return reach(v->columns.count, w->stride_width, w->kernel_width, w->dilation_width);
}

/* Whether windows read nothing but the input: words of its pixels, and none beyond the last. */
static inline int is_in_place(const convolution *v, int32_t depth, int32_t words) {
    const dpl_window *w = &v->window;
    const int32_t down =
        reach(v->rows.count, w->stride_height, w->kernel_height, w->dilation_height);
    const int inside = w->pads.top == 0 && w->pads.left == 0 && down <= v->input.height &&
                       reached_columns(v) <= v->input.width;
    const int whole = v->input.channels % 2 == 0 && (depth + 1) / 2 == words;
    return inside && whole && v->columns.count > 1;
}

static inline int32_t words_of_tap(int32_t depth) {
    const int32_t words = (depth + 1) / 2;
    return words > DPL_LISTED_WORDS ? words + (words & 1) : words;
}

/* An image of 1x1s that lies in one piece is one row, unless rows are copied. */
static inline void join_rows(convolution *v) {
    const dpl_window *w = &v->window;
    tensor *in = &v->input, *out = &v->output;
    const int point = w->kernel_height == 1 && w->kernel_width == 1 && w->stride_height == 1;
    const int every = v->rows.step == 1 && v->columns.step == 1 && in->height == out->height;
    const int whole = in->row_pitch == in->width * in->pixel_pitch && in->width == out->width &&
                      out->row_pitch == out->width * out->pixel_pitch;
    const int32_t depth = in->channels / v->groups;
    if (point && every && whole && w->stride_width == 1 &&
        is_in_place(v, depth, words_of_tap(depth))) {
        in->width *= in->height;
        out->width = in->width;
        v->columns.count = in->width;
        in->height = out->height = v->rows.count = 1;
    }
}

/* Words of a run: a tap, or a row of the kernel whose taps lie next to each other. */
static inline int32_t words_of_run(const plan *p) {
    const convolution *v = p->v;
    const int merged = v->groups == 1 && !p->turned && v->window.dilation_width == 1;
    return merged && p->pixel == 2 * p->words ? p->words * v->window.kernel_width : p->words;
}

static inline void plan_list(plan *p) {
    const dpl_window *w = &p->v->window;
    const int32_t words = p->words * w->kernel_height * w->kernel_width, run = words_of_run(p);
    p->job.words = words + (words & 1);
    p->job.runs = run > DPL_LISTED_WORDS && run % 2 == 0 ? words / run : 0;
    p->piece = PIECE_ENDS + p->job.words + PIECE_ENDS;
}

static inline direct_ending ending_of(const dpl_requant *q) {
    if (q->rule != DPL_Q32 || q->rounding[0] != 0 || q->high != HIGHEST) {
        return SUMS;
    }
    return q->low == LOWEST ? WHOLE_TYPE : q->low == 0 ? RELU : SUMS;
}

static inline void plan_scratch(plan *p) {
    const convolution *v = p->v;
    const int32_t entries = p->job.runs ? 2 * p->job.runs + 2 : p->job.words + 1;
    p->tags = v->scratch;
    p->list = p->tags + (p->in_place ? 0 : p->span);
    p->room = p->list + entries;
    p->copies =
        (element *)(void *)(p->room + (p->job.ending == SUMS ? ROOM_BLOCKS * BLOCK_SUMS : 0));
    p->job.list = p->list;
}

static inline void plan_direct(const convolution *v, int turned, plan *p) {
    const dpl_window *w = &v->window;
    const int32_t size = sizeof(element), channels = v->input.channels;
    p->v = v;
    p->turned = turned;
    p->depth = channels / v->groups;
    p->channels = v->output.channels / v->groups;
    p->words = words_of_tap(p->depth);
    p->in_place = is_in_place(v, p->depth, p->words);
    p->pixel = p->in_place      ? v->input.pixel_pitch
               : v->groups == 1 ? 2 * p->words
                                : channels + (channels & 1);
    p->span = (w->kernel_height - 1) * w->dilation_height + 1;
    p->row = reached_columns(v) * p->pixel;
    p->job.step = w->stride_width * p->pixel * size;
    p->job.apart = v->columns.step * v->output.pixel_pitch * size;
    p->job.ending = ending_of(v->requant);
    p->point = w->kernel_height * w->kernel_width == 1 && p->words <= MOST_POINT_WORDS &&
                       p->job.ending != SUMS
                   ? p->words
                   : 0;
    plan_list(p);
    plan_scratch(p);
}

#endif

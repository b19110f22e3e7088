/* How a convolution on windows where they lie is cut (dpl/cortex_m/direct_s16.h): what is copied,
 * which words are listed, where they are. */
#ifndef DPL_CORTEX_M_DIRECT_PLAN_H
#define DPL_CORTEX_M_DIRECT_PLAN_H

#include "dpl/cortex_m/blocking.h"
#include "dpl/cortex_m/direct_block.h"
#include "dpl/remainder_axis.h"

typedef struct {
    tensor input, output;
    stripes rows, columns; /* of the output */
    dpl_window window;
    int32_t groups, input_zero;
    int copied; /* whether the input is a copy of halfwords: words of pixels, some behind the last
                 */
    const uint32_t *weights;
    const dpl_requant *requant;
    void *scratch;
} convolution;

#include "dpl/cortex_m/turn_convolution.h"

enum { NOTHING, INPUT, COPIES };
enum {
    ROOM_BLOCKS = DPL_RING_ROOM_BLOCKS,
    MOST_POINT_WORDS = DPL_POINT_WORDS,
    FEWEST_POINT_PAIRS = DPL_POINT_PAIRS,
    MOST_BLOCKS = DPL_DIRECT_WINDOWS / PAIR_WINDOWS,
    CALL_WORDS = 32 /* of weights: they take as long from memory as a call takes */
};

/* Blocks one after the other, of so many rows of as many windows as `of` says, or of groups. */
typedef struct {
    int32_t of, rows, blocks;
    block_step steps[MOST_BLOCKS];
} block_walk;

typedef struct {
    const convolution *v;
    int turned;
    int32_t depth, channels;  /* of a group */
    int32_t words;            /* of a tap */
    int32_t point;            /* words of a window of few of them, else 0 */
    int32_t piece;            /* words of a pair */
    int32_t in_place;         /* no copies */
    int32_t rows_in_place;    /* none but of rows that windows reach beyond the input's */
    int32_t reads;            /* what the list is of */
    int32_t pixel;            /* values from a pixel of what is read to the next */
    int32_t row, span;        /* of a copy; rows of the ring */
    int32_t first;            /* values to the first word of windows */
    int32_t next_x, next_out; /* bytes to the next row of windows in place, and of outputs */
    direct_job job;           /* what all have in common */
    int32_t cached;           /* whether all weights and the rows of windows stay in the cache */
    block_walk pairs, singles;
    int32_t *tags; /* of the ring's rows, which of the input they are */
    int32_t *list;
    int32_t *room;
    int16_t *copies;
} plan;

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

/* Whether windows read nothing but words of pixels between the sides of the input. */
static inline int are_columns_inside(const convolution *v, int32_t depth, int32_t words) {
    const int halves = sizeof(element) == sizeof(int16_t);
    const int whole = halves && v->input.channels % 2 == 0 && (depth + 1) / 2 == words;
    const int inside = v->window.pads.left == 0 && reached_columns(v) <= v->input.width;
    return inside && (v->copied || (whole && v->columns.count > 1));
}

/* Whether they read nothing but the input. */
static inline int is_in_place(const convolution *v, int32_t depth, int32_t words) {
    const dpl_window *w = &v->window;
    const int32_t down =
        reach(v->rows.count, w->stride_height, w->kernel_height, w->dilation_height);
    return w->pads.top == 0 && down <= v->input.height && are_columns_inside(v, depth, words);
}

/* Values of a pixel of a copy. */
static inline int32_t copied_pixel(const convolution *v, int32_t words) {
    const int32_t channels = v->input.channels;
    return v->groups == 1 ? 2 * words : channels + (channels & 1);
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

static inline int32_t blocks_of(int32_t outputs, int32_t windows) {
    return (outputs + windows - 1) / windows;
}

/* Whether windows go down columns: where rows are shorter than a block, or have more blocks than
 * columns have. Of windows in a ring, rows shorter than two: columns make it longer. */
static inline int is_turned(const convolution *v) {
    const int32_t rows = v->rows.count, columns = v->columns.count;
    const int32_t windows = v->output.channels / v->groups % 2 ? SINGLE_WINDOWS : PAIR_WINDOWS;
    if (rows <= columns || (columns >= 2 * SINGLE_WINDOWS && !v->copied)) {
        return 0;
    }
    return columns < SINGLE_WINDOWS ||
           8 * columns * blocks_of(rows, windows) < 7 * rows * blocks_of(columns, windows);
}

static inline void plan_list(plan *p) {
    const dpl_window *w = &p->v->window;
    const int32_t words = p->words * w->kernel_height * w->kernel_width, run = words_of_run(p);
    p->job.words = words + (words & 1);
    p->job.passed = LOOP_WORDS - 1 - (p->job.words - 1) % LOOP_WORDS;
    p->job.runs = run > DPL_LISTED_WORDS && run % 2 == 0 ? words / run : 0;
    p->piece = PIECE_ENDS + p->job.words + PIECE_ENDS;
}

static inline void plan_scratch(plan *p) {
    const convolution *v = p->v;
    const int32_t entries = p->job.runs ? 2 * p->job.runs + 2 : p->job.words + 1;
    p->tags = v->scratch;
    p->list = p->tags + (p->in_place ? 0 : p->span);
    p->room = p->list + entries;
    p->copies =
        (int16_t *)(void *)(p->room + (p->job.ending == SUMS ? ROOM_BLOCKS * BLOCK_SUMS : 0));
    p->job.list = p->list;
}

/* Whether windows are of so few words, and a row has so many, that a loop of their own is best. */
static inline int has_points(const plan *p) {
    const convolution *v = p->v;
    const int32_t windows = p->channels == 1 ? SINGLE_WINDOWS : PAIR_WINDOWS;
    return POINTS_ALONE && p->job.ending != SUMS && p->words <= MOST_POINT_WORDS &&
           v->window.kernel_height * v->window.kernel_width == 1 &&
           v->columns.count >= 2 * FEWEST_POINT_PAIRS + windows;
}

static inline void plan_direct(const convolution *v, int turned, plan *p) {
    const dpl_window *w = &v->window;
    const int32_t value = sizeof(int16_t);
    p->v = v;
    p->turned = turned;
    p->depth = v->input.channels / v->groups;
    p->channels = v->output.channels / v->groups;
    p->words = words_of_tap(p->depth);
    p->in_place = is_in_place(v, p->depth, p->words);
    p->pixel = p->in_place ? v->input.pixel_pitch : copied_pixel(v, p->words);
    p->span = (w->kernel_height - 1) * w->dilation_height + 1;
    p->row = reached_columns(v) * p->pixel;
    p->rows_in_place =
        p->pixel == v->input.pixel_pitch && are_columns_inside(v, p->depth, p->words);
    p->reads = NOTHING;
    p->job.step = w->stride_width * p->pixel * value;
    p->job.apart = v->columns.step * v->output.pixel_pitch * (int32_t)sizeof(element);
    p->next_x = w->stride_height * v->input.row_pitch * value;
    p->next_out = v->rows.step * v->output.row_pitch * (int32_t)sizeof(element);
    p->job.ending = ending_of(v->requant);
    p->job.ahead = 0;
    p->job.addend = p->job.ending == SUMS ? 0 : addend_of(v->requant);
    p->point = has_points(p) ? p->words : 0;
    p->pairs.of = p->singles.of = 0;
    plan_list(p);
    plan_scratch(p);
    p->cached =
        4 * v->groups * ((p->channels + 1) / 2) * p->piece + w->kernel_height * p->row * value <=
        DPL_DIRECT_CACHED_BYTES;
}

#endif

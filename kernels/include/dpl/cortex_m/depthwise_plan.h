/* How a depthwise convolution is cut: groups of channels, bands of output rows, packed rows.
 *
 * A group of channels goes through the image before the next does, a band of output rows at a time.
 * Four channels have a plane of packed rows. Where outputs slide (stride 1, dpl/cortex_m/slide.h),
 * a row has a line of words for each remainder of columns by the dilation, whose outputs only read
 * these. At stride 2 it has one line; at other strides a line for each pair of taps, where rows of
 * a vertical dilation lie with those of their remainder. */
#ifndef DPL_CORTEX_M_DEPTHWISE_PLAN_H
#define DPL_CORTEX_M_DEPTHWISE_PLAN_H

#include "dpl/cortex_m/bound_rows.h"
#include "dpl/cortex_m/slide.h"

typedef struct {
    const args *a;
    filter f;
    int sliding;
    int32_t multiplier;          /* output channels of an input channel */
    int32_t tap_row, tap_column; /* elements of weights from a tap to the one below, beside */
    int32_t lines;               /* of a row */
    int32_t line;                /* words from a line to the next */
    int32_t row;                 /* words from a row of a plane to the next */
    int32_t reach;               /* words of a window in a line */
    int32_t step;                /* rows of a plane from an output row to the next */
    int32_t rest;                /* rows of one remainder, where rows lie by remainders; else 0 */
    int32_t plane;               /* words of four channels */
    int32_t weights;             /* words of an output channel */
    int32_t planes_of_group;
    int32_t band; /* output rows at a time */
    int fast;     /* by smmlar and a saturation; other bounds come behind */
    int positive; /* to zero at the least, of int16, whose ReLUs end there */
    int32_t zero; /* that scaled sums are added to, where it is fast */
    element zeros[LANES];
    block *list, *room_list;
    int32_t *room;
    uint32_t *taps, *planes;
} plan;

/* Remainders of columns whose outputs are computed on their own. */
static inline int32_t phases_of(const plan *p) {
    return p->sliding ? p->lines : 1;
}

/* Outputs of a row in phase n. */
static inline int32_t outputs_of_phase(const plan *p, int32_t n) {
    const int32_t phases = phases_of(p);
    return (p->a->output.width - n + phases - 1) / phases;
}

/* Whether the last of so many outputs are in a whole block that begins earlier. */
static inline int shifts_last(const plan *p, int32_t outputs) {
    return outputs > OUTPUTS && !(p->sliding && (outputs & 1));
}

/* Terms of a row as loops take them. */
static inline int32_t filled_terms(int32_t terms) {
    if (terms > FIVE) {
        return terms + (terms & 1);
    }
    return terms > 3 ? FIVE : terms;
}

static void plan_slide(plan *p) {
    const dpl_window *w = &p->a->window;
    const int32_t outputs = p->a->output.width, dilation = w->dilation_width;
    p->f.terms = filled_terms(w->kernel_width / 2 + 1);
    p->lines = dilation;
    p->reach = p->f.terms;
    p->line = (blocks_of((outputs + dilation - 1) / dilation) * 2 + p->reach) * LANES;
    p->f.rows = w->kernel_height;
}

/* One line at stride 2; a single row of many taps there is as many rows of one term. */
static void plan_step(plan *p) {
    const dpl_window *w = &p->a->window;
    const int32_t pairs = (w->kernel_width + 1) / 2;
    const int alone = w->kernel_height == 1, even = w->stride_width == 2 && w->dilation_width == 1;
    const int few = pairs <= FIVE, one = even && (few || alone);
    p->f.terms = one && few ? filled_terms(pairs) : 1;
    p->lines = one ? 1 : pairs;
    p->reach = one ? most(pairs, p->f.terms) : 1;
    p->line = (blocks_of(p->a->output.width) * OUTPUTS + p->reach) * LANES;
    p->f.rows = w->kernel_height * (p->f.terms > 1 ? 1 : pairs);
}

/* Words from a row of terms to the next. */
static int32_t pitch_of_terms(const plan *p) {
    if (!p->sliding && p->lines > 1) {
        return p->line;
    }
    return p->f.terms == p->reach ? p->row * p->a->window.dilation_height : LANES;
}

static void plan_rows(plan *p) {
    const dpl_window *w = &p->a->window;
    p->f.sliding = p->sliding;
    (p->sliding ? plan_slide : plan_step)(p);
    p->row = p->lines * p->line;
    p->f.pitch = 4 * pitch_of_terms(p);
    p->f.three = w->kernel_height == 3 && w->kernel_width == 3 && p->f.rows == 3;
    p->weights = p->f.rows * weight_words(&p->f);
}

/* Whether rows lie by their remainders: terms of a window are then all as far apart. */
static int by_remainders(const plan *p) {
    return p->a->window.dilation_height > 1 && !p->sliding && p->lines > 1;
}

/* Rows of a plane: those of one output row, and what each further one adds. */
static int32_t first_rows(const plan *p) {
    const int32_t kernel = p->a->window.kernel_height, dilation = p->a->window.dilation_height;
    return by_remainders(p) ? kernel * dilation : (kernel - 1) * dilation + 1;
}

static int32_t further_rows(const plan *p) {
    const dpl_window *w = &p->a->window;
    return w->dilation_height > 1 ? w->stride_height : least(w->stride_height, w->kernel_height);
}

/* Output rows of a band, after which those of the next begin with the same remainder as its own. */
static int32_t whole_band(const plan *p, int32_t rows) {
    const int32_t dilation = p->a->window.dilation_height, stride = p->a->window.stride_height;
    while (by_remainders(p) && rows < p->a->output.height && rows * stride % dilation > 0) {
        rows++;
    }
    return rows;
}

/* As many planes as have room for a band of some rows, then as many rows as they have room for, or
 * half of those that the next band keeps: these are moved. */
static void plan_group(plan *p) {
    const int32_t room = DPL_RING_GROUP_BYTES / 4, height = p->a->output.height;
    const int32_t further = further_rows(p) * p->row;
    const int32_t least_words = first_rows(p) * p->row + LANES * p->multiplier * p->weights;
    const int32_t wanted = least_words + (least(height, DPL_RING_BAND_ROWS) - 1) * further;
    const int32_t planes = (p->a->input.channels + LANES - 1) / LANES;
    p->planes_of_group = most(1, least(planes, room / wanted));
    const int32_t left = room / p->planes_of_group - least_words;
    const int32_t kept = first_rows(p) - further_rows(p);
    const int32_t rows = least(DPL_RING_BAND_ROWS, most(kept / 2, 1 + most(0, left) / further));
    const int32_t bands = (height + rows - 1) / rows;
    p->band = whole_band(p, (height + bands - 1) / bands);
    p->plane = (first_rows(p) + (p->band - 1) * further_rows(p)) * p->row;
    p->rest = by_remainders(p) ? p->plane / p->row / p->a->window.dilation_height : 0;
    p->step = further_rows(p);
}

/* Lists, room and weights lie before the planes: behind these words are read that meet nothing. */
static void plan_scratch(plan *p) {
    int32_t blocks = 0;
    for (int32_t n = 0; n < phases_of(p); n++) {
        blocks += blocks_of(outputs_of_phase(p, n));
    }
    p->list = p->a->scratch;
    p->room_list = p->list + p->band * blocks + 2;
    p->room = (int32_t *)(p->room_list + DPL_RING_ROOM_BLOCKS + 1);
    p->taps = (uint32_t *)(p->room + DPL_RING_ROOM_BLOCKS * OUTPUTS);
    p->planes = p->taps + p->planes_of_group * LANES * p->multiplier * p->weights;
}

static void plan_call(plan *p, const args *a, int turned) {
    const dpl_requant *q = &a->requant;
    const int32_t channels = a->output.channels;
    p->a = a;
    p->zeros[0] = p->zeros[1] = p->zeros[2] = p->zeros[3] = (element)a->input_zero;
    p->sliding = a->window.stride_width == 1;
    p->multiplier = channels / a->input.channels;
    p->tap_row = turned ? channels : a->window.kernel_width * channels;
    p->tap_column = turned ? a->window.kernel_height * channels : channels;
    p->fast = q->rule == DPL_Q32;
    p->positive = sizeof(element) > 1 && q->low == 0 && q->high == HIGHEST;
    p->zero = p->positive ? q->rounding[0] : addend_below(q);
    plan_rows(p);
    plan_group(p);
    plan_scratch(p);
}

#endif

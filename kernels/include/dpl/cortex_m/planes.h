/* How a convolution on planes is cut: bands of output rows, packed rows of a group's channels.
 *
 * Packed rows (dpl/cortex_m/slide.h) of each input channel lie one behind the other, all channels
 * of an input row before the next row. A window is then a run of rows at one distance, a row for
 * each row of the kernel and each channel: sums are those of a depthwise convolution with so many
 * rows. Windows with few channels or dilated ones need no column of their own, and few output
 * channels share what was packed with their neighbours' windows.
 *
 * Where outputs slide (stride 1) a channel has a line of words for each remainder of columns by the
 * dilation. At stride 2 it has one line; at other strides a line for each pair of taps, which are
 * rows of their own. Rows of a vertical dilation lie with those of their remainder. */
#ifndef DPL_CORTEX_M_PLANES_H
#define DPL_CORTEX_M_PLANES_H

#include "dpl/remainder_axis.h"

#define SLIDE_LANES 1
#include "dpl/cortex_m/slide.h"

/* What is computed. `weights`: the first tap of the first output channel, from which taps lie
 * `tap_row` and `tap_column` elements apart, channels of the output `filter`. */
typedef struct {
    tensor input, output;
    stripes rows, columns; /* of the output */
    dpl_window window;
    int32_t groups, input_zero;
    const int8_t *weights;
    int32_t tap_row, tap_column, filter;
    const int32_t *bias;
    int folded; /* whether the zero point is in the bias */
    const dpl_requant *requant;
    void *scratch;
} convolution;

/* How whole blocks are written. */
typedef enum { BY_ROOM, BY_TYPE, BY_RELU } ending;

typedef struct {
    const convolution *v;
    filter f;
    ending ending;
    int32_t depth, channels; /* of a group: of the input, of the output */
    int32_t lines, line;     /* of a channel; words from a line to the next */
    int32_t row;             /* words of an input row */
    int32_t step;            /* rows of the planes from an output row to the next */
    int32_t remainders;      /* of rows by the vertical dilation, that windows read */
    int32_t rest;            /* rows of one of them */
    int32_t band;            /* output rows at a time */
    int32_t weights;         /* words of an output channel */
    int resident;            /* whether weights of all channels of a group have room */
    block *whole, *others;   /* straight; by way of the room, which has room for ROOM of them */
    int32_t *places;         /* bytes to the outputs of others */
    int32_t whole_of_row, others_of_row;
    int32_t *room;
    uint32_t *taps, *planes;
} plan;

enum { ROOM = DPL_RING_ROOM_BLOCKS };

/* Remainders of columns whose outputs are computed on their own. */
static inline int32_t phases_of(const plan *p) {
    return p->f.sliding ? p->lines : 1;
}

/* Outputs of a row in phase n. */
static inline int32_t outputs_of_phase(const plan *p, int32_t n) {
    const int32_t phases = phases_of(p);
    return (p->v->columns.count - n + phases - 1) / phases;
}

static inline void plan_lines(plan *p) {
    const dpl_window *w = &p->v->window;
    const int32_t pairs = (w->kernel_width + 1) / 2, outputs = p->v->columns.count;
    p->f.three = 0;
    p->f.sliding = w->stride_width == 1;
    if (p->f.sliding) {
        p->lines = w->dilation_width;
        p->f.terms = w->kernel_width / 2 + 1;
        p->f.terms = p->f.terms > FIVE ? p->f.terms + (p->f.terms & 1) : p->f.terms;
        p->f.terms = p->f.terms == FIVE - 1 ? FIVE : p->f.terms;
        p->line = blocks_of(outputs_of_phase(p, 0)) * 2 + p->f.terms;
    } else {
        const int one = w->stride_width == 2 && w->dilation_width == 1 && pairs <= 3;
        p->lines = one ? 1 : pairs;
        p->f.terms = one ? pairs : 1;
        p->line = blocks_of(outputs) * OUTPUTS + p->f.terms;
    }
    p->row = p->depth * p->lines * p->line;
    p->f.rows = w->kernel_height * p->depth * (p->f.sliding ? 1 : p->lines);
    p->f.pitch = 4 * p->line * (p->f.sliding ? p->lines : 1);
    p->weights = p->f.rows * weight_words(&p->f);
}

/* The last input row that so many output rows read, from the first on. */
static inline int32_t last_row(const dpl_window *w, int32_t rows) {
    return (rows - 1) * w->stride_height + (w->kernel_height - 1) * w->dilation_height;
}

/* Rows of the planes for so many output rows. */
static inline int32_t plane_rows(const plan *p, int32_t rows) {
    const dpl_window *w = &p->v->window;
    const int32_t dilation = w->dilation_height;
    if (dilation == 1) {
        return w->kernel_height + (rows - 1) * p->step;
    }
    return p->remainders * (last_row(w, rows) / dilation + 1);
}

/* Rows of a band as their planes have room, all bands alike. */
static inline void plan_band(plan *p) {
    const dpl_window *w = &p->v->window;
    const int32_t height = p->v->rows.count, room = DPL_PLANE_BAND_BYTES / 4;
    int32_t rows = 1;
    p->remainders = w->stride_height % w->dilation_height == 0 ? 1 : w->dilation_height;
    p->step = w->dilation_height > 1 ? w->stride_height : least(w->stride_height, w->kernel_height);
    while (rows < least(height, DPL_RING_BAND_ROWS) && plane_rows(p, rows + 1) * p->row <= room) {
        rows++;
    }
    const int32_t bands = (height + rows - 1) / rows;
    p->band = (height + bands - 1) / bands;
    p->rest = plane_rows(p, p->band) / p->remainders;
}

static inline void count_blocks(plan *p) {
    p->whole_of_row = 0;
    p->others_of_row = 0;
    for (int32_t n = 0; n < phases_of(p); n++) {
        const int32_t outputs = outputs_of_phase(p, n);
        const int32_t whole = p->ending == BY_ROOM ? 0 : outputs / OUTPUTS;
        p->whole_of_row += whole;
        p->others_of_row += blocks_of(outputs) - whole;
    }
}

/* Planes lie last: behind them words are read that meet nothing. */
static inline void plan_scratch(plan *p) {
    p->whole = p->v->scratch;
    p->others = p->whole + p->band * p->whole_of_row;
    p->places = (int32_t *)(p->others + p->band * p->others_of_row);
    p->room = p->places + p->band * p->others_of_row;
    p->taps = (uint32_t *)(p->room + ROOM * OUTPUTS);
    p->planes = p->taps + (p->resident ? p->channels : 1) * p->weights;
}

static inline ending ending_of(const dpl_requant *q) {
    if (q->rule != DPL_Q32 || q->high != HIGHEST) {
        return BY_ROOM;
    }
    if (q->low == LOWEST) {
        return BY_TYPE;
    }
#if defined(RELU_WORDS)
    if (is_relu(q)) {
        return BY_RELU;
    }
#endif
    return BY_ROOM;
}

static inline void plan_planes(const convolution *v, plan *p) {
    p->v = v;
    p->ending = ending_of(v->requant);
    p->depth = v->input.channels / v->groups;
    p->channels = v->output.channels / v->groups;
    plan_lines(p);
    plan_band(p);
    p->resident = 4 * p->channels * p->weights <= DPL_PLANE_WEIGHT_BYTES;
    count_blocks(p);
    plan_scratch(p);
}

#endif

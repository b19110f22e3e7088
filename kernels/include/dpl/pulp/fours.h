/* Four windows by four output channels (fours_*.S), and what of a layer does not come in fours. */
#ifndef DPL_PULP_FOURS_H
#define DPL_PULP_FOURS_H

#include <stdint.h>

#include "dpl/pulp/bytes.h"
#include "dpl/pulp/copies.h"
#include "dpl/requant.h"

enum { FOUR = 4, FOUR_TABLES = 48 }; /* bytes behind the weights of a group, layout "fours" */

/* A window is read as runs of whole words that follow one another nowhere else than in the weights.
 * Four windows lie one step apart, and so do their outputs, or there is a table of all of them. The
 * assembler has these offsets, too. */
typedef struct {
    const int8_t **runs;       /* of the first window, and once more the first of them */
    int32_t count;             /* of runs, at least 1 */
    int32_t words;             /* of a run, at least 1; 2 where windows are a step apart */
    int32_t step;              /* bytes from a window to the next */
    const int8_t *weights;     /* of the first group */
    const int8_t *weights_end; /* behind the last group */
    int32_t groups;            /* of four channels, at least 1 */
    int8_t *out;               /* of the first window */
    int32_t pitch;             /* bytes from an output to the next */
    int32_t blocks;            /* of four windows, at least 1 */
    int32_t bounded;           /* whether low and high say more than int8 does */
    uint32_t low, high;        /* in each byte */
    const dpl_columns *copies; /* of windows, made before each block; null where they are read */
    const int8_t **table;      /* at [4 * r + i] begins run r of window i; four more that are read */
    int8_t *outs[FOUR];        /* of each window of the table; moved on behind the last group */
} dpl_fours;

/* The outputs of all groups of all blocks, a step apart; rules i32 and shift, whose tables are in
 * the weights. One run. */
void dpl_fours_point(const dpl_fours *f);

/* The same of any number of runs, none of them copied; moves them on to the last block. */
void dpl_fours_rows(dpl_fours *f);

/* The outputs of all groups of one block, from the table. */
void dpl_fours_table(dpl_fours *f);

/* The sums of the first group without biases, from the table: sums[4 * channel + window]. */
void dpl_fours_sums(const dpl_fours *f, int32_t *sums);

/* What the channels of a layer have in common. */
typedef struct {
    const int8_t *weights;
    const int32_t *bias;
    const dpl_requant *requant;
    int32_t channels;    /* of the output */
    int32_t group_bytes; /* of the weights of four channels */
} dpl_fours_layer;

static inline int32_t dpl_fours_rule(const dpl_requant *q) {
    return q->rule == DPL_I32 || q->rule == DPL_SHIFT;
}

static inline void dpl_fours_bounds(dpl_fours *f, const dpl_requant *q) {
    f->bounded = q->low > INT8_MIN || q->high < INT8_MAX;
    f->low = dpl_bytes_of(q->low);
    f->high = dpl_bytes_of(q->high);
}

/* Groups begin to end - 1 of the layer; where their outputs go is set. */
static inline void dpl_fours_select(dpl_fours *f, const dpl_fours_layer *l, int32_t begin,
                                    int32_t end) {
    f->weights = l->weights + begin * l->group_bytes;
    f->weights_end = l->weights + end * l->group_bytes;
    f->groups = end - begin;
}

static inline void dpl_fours_stepped(dpl_fours *f) {
    if (f->count == 1) {
        dpl_fours_point(f);
    } else {
        dpl_fours_rows(f);
    }
}

/* A last group of one to three channels: four bytes of each window beside the output. */
static inline void dpl_fours_rest(dpl_fours *f, int32_t stepped, int32_t count) {
    int8_t bytes[FOUR][FOUR];
    int8_t *to = f->out, *outs[FOUR];
    const int32_t pitch = f->pitch;
    for (int32_t i = 0; i < FOUR; i++) {
        outs[i] = stepped ? to + i * pitch : f->outs[i];
        f->outs[i] = bytes[i];
    }
    if (stepped) {
        f->out = bytes[0];
        f->pitch = FOUR;
        dpl_fours_stepped(f);
        f->pitch = pitch;
    } else {
        dpl_fours_table(f);
    }
    for (int32_t i = 0; i < FOUR; i++) {
        for (int32_t c = 0; c < count; c++) {
            outs[i][c] = bytes[i][c];
        }
    }
}

/* Any other rule: sums, then one output after the other. */
static inline void dpl_fours_any_rule(dpl_fours *f, const dpl_fours_layer *l, int32_t first,
                                      int32_t count) {
    int32_t sums[FOUR * FOUR];
    dpl_fours_sums(f, sums);
    for (int32_t i = 0; i < FOUR; i++) {
        for (int32_t c = 0; c < count; c++) {
            int32_t sum = sums[FOUR * c + i] + l->bias[first + c];
            f->outs[i][c] = (int8_t)dpl_requantize(l->requant, sum, first + c);
        }
        f->outs[i] += FOUR;
    }
}

/* Groups begin to end - 1 from the table, by any rule; outs are of the layer's first channel. */
static inline void dpl_fours_of_table(dpl_fours *f, const dpl_fours_layer *l, int32_t begin,
                                      int32_t end) {
    const int32_t all = l->channels / FOUR, whole = all < end ? all : end;
    for (int32_t i = 0; i < FOUR; i++) {
        f->outs[i] += FOUR * begin;
    }
    if (!dpl_fours_rule(l->requant)) {
        for (int32_t g = begin; g < end; g++) {
            int32_t left = l->channels - FOUR * g;
            dpl_fours_select(f, l, g, g + 1);
            dpl_fours_any_rule(f, l, FOUR * g, left < FOUR ? left : FOUR);
        }
        return;
    }
    if (begin < whole) {
        dpl_fours_select(f, l, begin, whole);
        dpl_fours_table(f);
    }
    if (whole < end) {
        dpl_fours_select(f, l, whole, end);
        dpl_fours_rest(f, 0, l->channels - FOUR * whole);
    }
}

/* The same of windows a step apart; rules i32 and shift. */
static inline void dpl_fours_of_steps(dpl_fours *f, const dpl_fours_layer *l, int32_t begin,
                                      int32_t end) {
    const int32_t all = l->channels / FOUR, whole = all < end ? all : end;
    f->out += FOUR * begin;
    if (begin < whole) {
        dpl_fours_select(f, l, begin, whole);
        dpl_fours_stepped(f);
    }
    if (whole < end) {
        f->out += FOUR * (whole - begin);
        dpl_fours_select(f, l, whole, end);
        dpl_fours_rest(f, 1, l->channels - FOUR * whole);
    }
}

#endif

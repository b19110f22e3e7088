/* Four windows by four output channels (fours_*.S), and what of a layer does not come in fours. */
#ifndef DPL_PULP_FOURS_H
#define DPL_PULP_FOURS_H

#include <stdint.h>

#include "dpl/pulp/blocking.h"
#include "dpl/pulp/bytes.h"
#include "dpl/pulp/copies.h"
#include "dpl/requant.h"

/* FOUR_TABLES: bytes behind the weights of a group, layout "x4c4". */
enum { FOUR = DPL_GROUP_CHANNELS, FOUR_TABLES = FOUR * DPL_TABLE_BYTES };

/* Bits of dpl_fours.bounded: low and high say more than int8 does; outputs go where outs says. */
enum { FOURS_BOUNDED = 1, FOURS_LISTED = 2 };

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
    int32_t bounded;           /* bits */
    uint32_t low, high;        /* in each byte */
    const dpl_columns *copies; /* of windows, made before each block; null where they are read */
    const int8_t *zeros;       /* a run that is not moved on */
    const int8_t **table; /* at [4 * r + i] begins run r of window i; four more that are read */
    int8_t *outs[FOUR];   /* of each window of the table; moved on behind the last group */
} dpl_fours;

/* The outputs of all groups of all blocks, a step apart; rules i32 and shift, whose tables are in
 * the weights. One run. */
void dpl_fours_point(const dpl_fours *f);

/* The same of three runs, none of them copied. */
void dpl_fours_three(const dpl_fours *f);

/* The same of any number of runs, none of them copied; moves them on to the last block. */
void dpl_fours_rows(dpl_fours *f);

/* The outputs of all groups of one block, from the table. */
void dpl_fours_table(dpl_fours *f);

/* The sums of the first group without biases, from the table: sums[4 * channel + window]. */
void dpl_fours_sums(const dpl_fours *f, int32_t *sums);

static inline int32_t dpl_fours_rule(const dpl_requant *q) {
    return q->rule == DPL_I32 || q->rule == DPL_SHIFT;
}

static inline void dpl_fours_bounds(dpl_fours *f, const dpl_requant *q) {
    f->bounded = q->low > INT8_MIN || q->high < INT8_MAX ? FOURS_BOUNDED : 0;
    if (f->bounded) {
        f->low = dpl_bytes_of(q->low);
        f->high = dpl_bytes_of(q->high);
    }
}

#endif

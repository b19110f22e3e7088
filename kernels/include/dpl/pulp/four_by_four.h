/* Four windows by four output channels (four_by_four_*.S), and what of a layer is less
 * than a block. */
#ifndef DPL_PULP_FOUR_BY_FOUR_H
#define DPL_PULP_FOUR_BY_FOUR_H

#include <stdint.h>

#include "dpl/pulp/blocking.h"
#include "dpl/pulp/bytes.h"
#include "dpl/pulp/copies.h"
#include "dpl/requant.h"

/* FOUR_TABLES: bytes behind the weights of a group, layout "x4c4". */
enum { FOUR = DPL_GROUP_CHANNELS, FOUR_TABLES = FOUR * DPL_TABLE_BYTES };

/* Bits of dpl_four_by_four.bounded: low and high say more than int8 does; outputs go where outs
 * says; the rule takes a high word, which dpl_four_by_four_point and _three do not know. */
enum { BLOCK_BOUNDED = 1, BLOCK_LISTED = 2, BLOCK_HIGH = 4, BLOCK_TRANSPOSED = 8 };

/* A window is read as runs of whole words that follow one another nowhere else than in the weights.
 * Four windows lie one step apart, and so do their outputs, or there is a table of all of them. The
 * assembler has these offsets, too. */
typedef struct {
    const int8_t **runs;       /* of the first window, and once more the first of them */
    int32_t count;             /* of runs, at least 1 */
    int32_t words;             /* of a run, at least 1; 2 for all but dpl_four_by_some where windows
                                * are a step apart */
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
    int32_t some;         /* channels of a group of dpl_four_by_some, 1 to 4 */
} dpl_four_by_four;

/* The outputs of all groups of all blocks, a step apart; rules i32 and shift, whose tables are in
 * the weights. One run. */
void dpl_four_by_four_point(const dpl_four_by_four *f);

/* The same of three runs, none of them copied. */
void dpl_four_by_four_three(const dpl_four_by_four *f);

/* The same of any number of runs, none of them copied; moves them on to the last block. */
void dpl_four_by_four_rows(dpl_four_by_four *f);

/* The outputs of groups of `some` channels of all blocks, a step apart, of runs of one word or
 * more; several groups are of four. Moves the runs on to the last block. */
void dpl_four_by_some(dpl_four_by_four *f);

/* The outputs of all groups of one block, from the table. */
void dpl_four_by_four_table(dpl_four_by_four *f);

/* The sums of the first group without biases, from the table: sums[4 * channel + window]. */
void dpl_four_by_four_sums(const dpl_four_by_four *f, int32_t *sums);

static inline int32_t dpl_four_by_four_rule(const dpl_requant *q) {
    return q->rule == DPL_I32 || q->rule == DPL_SHIFT;
}

/* Whether the tables of a channel, behind its weights, are for the high word of a product. */
static inline int32_t dpl_high_word_rule(const dpl_requant *q, const int8_t *tables) {
    const int32_t *words = (const int32_t *)(const void *)tables;
    return (q->rule == DPL_Q32 || q->rule == DPL_Q31) && words[2] != 0;
}

static inline void dpl_four_by_four_bounds(dpl_four_by_four *f, const dpl_requant *q) {
    f->bounded = q->low > INT8_MIN || q->high < INT8_MAX ? BLOCK_BOUNDED : 0;
    if (f->bounded) {
        f->low = dpl_bytes_of(q->low);
        f->high = dpl_bytes_of(q->high);
    }
}

#endif

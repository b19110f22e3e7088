/* Depthwise windows over planes: rows of outputs of some channels. */
#ifndef DPL_PULP_DEPTHWISE_H
#define DPL_PULP_DEPTHWISE_H

#include <stdint.h>

/* The assembler has these offsets, too. Columns of outputs are strips of four, and odd ones. */
typedef struct {
    const int8_t *plane;          /* the first channel's, where the first window begins */
    const int8_t *weights;        /* layout "depthwise", of the first channel */
    int8_t *out;                  /* the first channel's first output */
    int32_t channels;             /* at least 1 */
    int32_t step;                 /* from a plane's row to the next */
    int32_t out_pixel;            /* from an output to the one beside it */
    int32_t forward;              /* and from the last one of four to the first one below */
    int32_t strips, odd;          /* not both 0 */
    int32_t odd_forward;          /* as forward, of odd columns */
    int32_t rows;                 /* of outputs, at least 1 */
    int32_t rounds;               /* a third of them, rounded up */
    int32_t skipped;              /* rows that the first round goes without */
    int32_t plane_back, out_back; /* from behind the last row of a strip to the next strip */
    int32_t plane_next, out_next; /* from behind the last column to the next channel */
    int32_t low, high;
} dpl_depthwise_run;

/* 3x3 without dilation, rules i32 and shift (depthwise_3x3.S): 31 cycles for four outputs of a
 * row; 28, 17 or 10 for three, two or one; 1 more for each output where low and high say more than
 * int8 does. Planes need no alignment, which costs up to 2 cycles. */
void dpl_depthwise_3x3(const dpl_depthwise_run *r);
void dpl_depthwise_3x3_bounded(const dpl_depthwise_run *r);

/* The same at stride 2 (depthwise_3x3_by_2.S): 38 cycles; 29, 20 or 9. */
void dpl_depthwise_3x3_by_2(const dpl_depthwise_run *r);
void dpl_depthwise_3x3_by_2_bounded(const dpl_depthwise_run *r);

/* Any window: four rows of outputs by four columns, sixteen sums in registers. A word of each row
 * of planes meets four words of taps: spread as each of the four windows has them, zeros elsewhere.
 * The assembler (depthwise_blocks.S) has these offsets, too. */
typedef struct {
    const int8_t *rows[4];  /* where the windows of four rows begin; missing rows are the first */
    int8_t *out[4];         /* and their outputs */
    const int8_t *taps;     /* spread (dpl/pulp/spread.h) */
    int32_t height, words;  /* of the spread taps */
    int32_t next_row;       /* from the end of a row of planes to the next row of taps */
    int32_t next_columns;   /* from four columns to the next in the planes */
    int32_t row_at, out_at; /* bytes to the columns at hand; moved on by the outputs' function */
    int32_t out_pixel;
    int32_t columns;      /* of outputs that are left, at least 1; counted down to 0 or less */
    const int8_t *tables; /* multiplier, addend and shift */
    int32_t low, high;
} dpl_depthwise_block;

/* The outputs of all columns; rules i32 and shift: 24 cycles for a word of taps of each row. */
void dpl_depthwise_blocks(dpl_depthwise_block *b);

/* The same of two words at stride 1, of rows that follow one another in the planes, which may be
 * read up to where a fourth row's would end: 42 cycles for a row of taps, 22 of the last two
 * columns or of one. */
void dpl_depthwise_two_words(dpl_depthwise_block *b);

/* sums[4 * row + column] of the four columns at hand, without bias. */
void dpl_depthwise_sums(const dpl_depthwise_block *b, int32_t *sums);

#endif

/* Depthwise 3x3 over blocks of four pixels by four channels that are transposed: a word has four
 * neighbours of one channel, and the next word of the row is four pixels on. */
#ifndef DPL_PULP_DEPTHWISE_STRIPS_H
#define DPL_PULP_DEPTHWISE_STRIPS_H

#include <stdint.h>

/* Columns of outputs are strips of four, and at stride 2 perhaps one of two. The assembler has
 * these offsets, too. */
typedef struct {
    const int8_t *plane;   /* the first channel's word of the first row that is read */
    const int8_t *weights; /* layout "depthwise", of the first channel */
    int8_t *out;           /* the first channel's first output */
    int32_t channels;      /* at least 1 */
    int32_t among;         /* which of four channels the first one is */
    int32_t step;          /* from a row to the next */
    int32_t pixel;         /* from a channel of four to the next */
    int32_t apart;         /* from a word of a row to the next */
    int32_t out_pixel;
    int32_t forward, half_forward; /* from the last output of a strip's row to the one below */
    int32_t strips, half;
    int32_t rounds, skipped; /* as in dpl/pulp/depthwise.h, of rows that end inside the input */
    int32_t rows;            /* these, which may be none */
    int32_t above, below;    /* whether the first and the last row that windows meet are outside */
    int32_t out_back;        /* from behind the last row of a strip to the next strip */
    uint32_t zeros;          /* the zero point in each byte */
    int32_t low, high;
} dpl_depthwise_strips_args;

/* A pad of one column on both sides; 33 cycles for four outputs, 6 more where low and high say more
 * than int8 does (depthwise_strips.S). */
void dpl_depthwise_strips(const dpl_depthwise_strips_args *s);
void dpl_depthwise_strips_bounded(const dpl_depthwise_strips_args *s);

/* Stride 2, with a pad of one column on the left (depthwise_strips_by_2.S) or none
 * (depthwise_strips_by_2_unpadded.S): 38 cycles. */
void dpl_depthwise_strips_by_2(const dpl_depthwise_strips_args *s);
void dpl_depthwise_strips_by_2_bounded(const dpl_depthwise_strips_args *s);
void dpl_depthwise_strips_by_2_unpadded(const dpl_depthwise_strips_args *s);
void dpl_depthwise_strips_by_2_unpadded_bounded(const dpl_depthwise_strips_args *s);

#endif

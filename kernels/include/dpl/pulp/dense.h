/* One window by four channels (dense_outputs.S). */
#ifndef DPL_PULP_DENSE_H
#define DPL_PULP_DENSE_H

#include <stdint.h>

/* The assembler has these offsets, too. */
typedef struct {
    const int8_t *input;
    int32_t words;         /* of the input, at least 1 */
    const int8_t *weights; /* layout "x4c4", of the first group */
    int8_t *out;
    int32_t groups; /* of four channels, at least 1 */
    int32_t low, high;
    int32_t high_word; /* whether the rule takes one */
} dpl_dense;

/* The outputs of all groups; rules whose tables are in the weights. */
void dpl_dense_outputs(const dpl_dense *d);

/* A slice of the input, of whole words, and of all groups; the assembler has these offsets, too. */
typedef struct {
    const int8_t *input;
    int32_t words;         /* at least 1 */
    const int8_t *weights; /* of the slice, of the first group */
    int32_t step;          /* bytes of a group */
    int32_t groups;        /* at least 1 */
    int32_t *sums;         /* four of each group */
} dpl_dense_slice;

void dpl_dense_sums(const dpl_dense_slice *s);

#endif

/* One window by four channels (dense_outputs.S). */
#ifndef DPL_PULP_DENSE_H
#define DPL_PULP_DENSE_H

#include <stdint.h>

#include "dpl/pulp/blocking.h"

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

/* Of an input of int16, whose high bytes are that of `of`. */
typedef struct {
    dpl_dense_slice of;
    const int8_t *low;
} dpl_dense_halves_slice;

/* The same of both planes: 256 times the sum of one, plus that of the other. */
void dpl_dense_halves(const dpl_dense_halves_slice *s);

/* Values of int16, four a word of each plane: their high bytes, and their low ones less 128. */
void dpl_split_halves(int8_t *high, int8_t *low, const int16_t *from, int32_t words);

/* A sum to its output, before its bounds: by i32 and shift, and by rules of the high word. */
static inline int32_t dpl_dense_scaled(uint32_t sum, const int32_t *table, int32_t high_word) {
    if (!high_word) {
        return (int32_t)(sum * (uint32_t)table[0] + (uint32_t)table[1]) >> table[2];
    }
    const int32_t with_bias = (int32_t)(sum + (uint32_t)table[1]), shift = table[2] & 255;
    const int32_t word = (int32_t)((int64_t)with_bias * (uint32_t)table[0] >> 32);
    return ((word + (int32_t)(1u << shift >> 1)) >> shift) + (table[2] >> 8);
}

/* Whether cores that would have no group, or one less, cost more than what slices take beside their
 * products: some 350 cycles, and 36 a group. */
static inline int dpl_dense_in_slices(int32_t groups, int32_t words) {
    const int32_t rounds = (groups + DPL_CLUSTER_CORES - 1) / DPL_CLUSTER_CORES;
    const int32_t idle = rounds * DPL_CLUSTER_CORES - groups;
    return words >= DPL_CLUSTER_CORES && idle * words > 320 + 32 * groups;
}

#endif

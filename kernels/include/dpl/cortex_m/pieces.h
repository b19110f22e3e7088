/* Packed weights of pairs of output channels, and the sums of a pair for three columns. */
#ifndef DPL_CORTEX_M_PIECES_H
#define DPL_CORTEX_M_PIECES_H

#include <stdint.h>

#include "dpl/cortex_m/blocking.h"

enum { COLUMNS = DPL_COLUMNS, WORDS_OF_FOUR = 2 * COLUMNS, BIAS_WORDS = 2, MULTIPLIER_WORDS = 2 };

typedef struct {
    int32_t a0, a1, a2, b0, b1, b2;
} sums_2x3;

/* Words of a pair's piece of the packed weights, for `words` of columns. */
static inline int32_t piece_words(int32_t words) {
    return BIAS_WORDS + words / COLUMNS + MULTIPLIER_WORDS;
}

#endif

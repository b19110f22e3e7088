/* Sums of two runs, four elements at a time (add_words.S, add_halves.S). */
#ifndef DPL_PULP_ADD_H
#define DPL_PULP_ADD_H

#include <stdint.h>

/* The assembler has these offsets, too. */
typedef struct {
    const int8_t *left, *right;
    int8_t *out;   /* may be left or right */
    int32_t words; /* at least 1 */
    int32_t multiplier[2];
    int32_t rounding, shift;
    uint32_t low, high; /* in each byte */
} dpl_add_run;

void dpl_add_words(const dpl_add_run *r);

/* The same of int16: words are fours of elements, low and high one value each. */
void dpl_add_halves(const dpl_add_run *r);

#endif

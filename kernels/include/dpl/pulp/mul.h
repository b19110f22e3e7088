/* Products of two runs, four elements at a time (mul_words.S). */
#ifndef DPL_PULP_MUL_H
#define DPL_PULP_MUL_H

#include <stdint.h>

/* The assembler has these offsets, too. */
typedef struct {
    const int8_t *left, *right;
    int8_t *out;   /* may be left or right */
    int32_t words; /* at least 1 */
    int32_t left_zero, right_zero;
    int32_t multiplier, rounding, shift;
    uint32_t low, high; /* in each byte */
} dpl_mul_run;

void dpl_mul_words(const dpl_mul_run *r);

#endif

/* Dot products of a row of activations and rows of int8 weights, shared by the portable convolution
 * and fully connected kernels. */
#ifndef DPL_BODY_DOT_H
#define DPL_BODY_DOT_H

#include <stdint.h>

#include "dpl/ref/blocking.h"

enum { DOT_ROWS = DPL_BLOCK_CHANNELS };

/* acc[r] += sum of x[i] * w[at[r] + i] for n elements and four rows of weights.
 *
 * An element costs a load and a multiply-add, and the load of x and the loop's end are shared by
 * four rows: on a Cortex-M7 gcc -O2 gives 5 loads, 4 smlabb, compare and branch, 11 instructions
 * for 4 MACs (2.75 a MAC, against 5 for one row at a time). Unrolling by four saves only another
 * 5 % and costs a remainder loop; more rows do not fit the 14 registers. An int16 x takes ldrsh in
 * place of ldrsb, a cycle as well, and smlabb multiplies the low halves either way. */
static inline void dot(const element *restrict x, const int8_t *restrict w,
                       const int32_t at[DOT_ROWS], int32_t n, int32_t *restrict acc) {
    const int8_t *restrict w0 = w + at[0], *restrict w1 = w + at[1];
    const int8_t *restrict w2 = w + at[2], *restrict w3 = w + at[3];
    int32_t sum0 = acc[0], sum1 = acc[1], sum2 = acc[2], sum3 = acc[3];
    for (int32_t i = 0; i < n; i++) {
        int32_t value = x[i];
        sum0 += value * w0[i];
        sum1 += value * w1[i];
        sum2 += value * w2[i];
        sum3 += value * w3[i];
    }
    acc[0] = sum0;
    acc[1] = sum1;
    acc[2] = sum2;
    acc[3] = sum3;
}

/* acc[r] += value * sum of w[at[r] + i]: the same for n elements that all read value. */
static inline void dot_constant(int32_t value, const int8_t *restrict w, const int32_t at[DOT_ROWS],
                                int32_t n, int32_t *restrict acc) {
    const int8_t *restrict w0 = w + at[0], *restrict w1 = w + at[1];
    const int8_t *restrict w2 = w + at[2], *restrict w3 = w + at[3];
    int32_t sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
    for (int32_t i = 0; i < n; i++) {
        sum0 += w0[i];
        sum1 += w1[i];
        sum2 += w2[i];
        sum3 += w3[i];
    }
    acc[0] += value * sum0;
    acc[1] += value * sum1;
    acc[2] += value * sum2;
    acc[3] += value * sum3;
}

/* Where the four rows start, pitch elements apart. Beyond the last of count rows the last is
 * repeated: a short block computes it again instead of needing a loop of its own. */
static inline void dot_rows(int32_t at[DOT_ROWS], int32_t pitch, int32_t count) {
    for (int32_t r = 0; r < DOT_ROWS; r++) {
        at[r] = (r < count ? r : count - 1) * pitch;
    }
}

/* The accumulators of count rows before any product. A plain copy of count words would become a
 * call of memcpy, which a kernel must not need. */
static inline void dot_start(int32_t acc[DOT_ROWS], const int32_t *bias, int32_t count) {
    for (int32_t r = 0; r < DOT_ROWS; r++) {
        acc[r] = bias[r < count ? r : count - 1];
    }
}

#endif

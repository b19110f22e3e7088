/* Dot products of a row of floats and four rows of weights: the float twin of dot.h. */
#ifndef DPL_BODY_DOT_F32_H
#define DPL_BODY_DOT_F32_H

#include "dpl/body/f32.h"
#include "dpl/ref/blocking.h"

enum { DOT_ROWS = DPL_BLOCK_CHANNELS };

/* acc[r] += sum of x[i] * w[at[r] + i], in the order of i. Four sums hide each other's latency: a
 * sum alone would wait for its addition at every element. */
static inline void dot(const float *restrict x, const float *restrict w, const int32_t at[DOT_ROWS],
                       int32_t n, float *restrict acc) {
    const float *restrict w0 = w + at[0], *restrict w1 = w + at[1];
    const float *restrict w2 = w + at[2], *restrict w3 = w + at[3];
    float sum0 = acc[0], sum1 = acc[1], sum2 = acc[2], sum3 = acc[3];
    for (int32_t i = 0; i < n; i++) {
        const float value = x[i];
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

/* Where the four rows start, pitch elements apart; beyond the last of count rows it is repeated. */
static inline void dot_rows(int32_t at[DOT_ROWS], int32_t pitch, int32_t count) {
    for (int32_t r = 0; r < DOT_ROWS; r++) {
        at[r] = (r < count ? r : count - 1) * pitch;
    }
}

/* The sums of count rows before any product. */
static inline void dot_start(float acc[DOT_ROWS], const float *bias, int32_t count) {
    for (int32_t r = 0; r < DOT_ROWS; r++) {
        acc[r] = bias[r < count ? r : count - 1];
    }
}

/* The outputs of count rows, within the bounds of a fused activation. */
static inline void dot_finish(const float acc[DOT_ROWS], float low, float high, int32_t count,
                              float *restrict out) {
    for (int32_t r = 0; r < count; r++) {
        out[r] = bounded(acc[r], low, high);
    }
}

#endif

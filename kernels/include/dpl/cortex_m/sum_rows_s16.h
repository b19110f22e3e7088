/* Sums over rows of int16, as words. */
#ifndef DPL_CORTEX_M_SUM_ROWS_H
#define DPL_CORTEX_M_SUM_ROWS_H

#include <stdint.h>

typedef int32_t folded;

/* `count` > 0 rows of int16, `step` elements apart. */
typedef struct {
    int32_t step, count;
} row_stack;

/* Four elements at a time; words of two share a bank, so that the first and the third load pair. */
static void sum_run(const int16_t *from, const row_stack *rows, folded *to, int32_t length) {
    const int32_t step = rows->step, count = rows->count;
    int32_t i = 0;
    for (; i + 4 <= length; i += 4) {
        const int16_t *x = from + i;
        int32_t s0 = x[0], s2 = x[2], s1 = x[1], s3 = x[3];
        for (int32_t t = count - 1; t > 0; t--) {
            x += step;
            s0 += x[0];
            s2 += x[2];
            s1 += x[1];
            s3 += x[3];
        }
        to[i] = s0;
        to[i + 1] = s1;
        to[i + 2] = s2;
        to[i + 3] = s3;
    }
    for (; i < length; i++) {
        int32_t sum = from[i];
        for (int32_t t = 1; t < count; t++) {
            sum += from[t * step + i];
        }
        to[i] = sum;
    }
}

#endif

/* What the convolutions of one group have in common. The outputs may be every so many rows and
 * columns of a tensor: a transposed convolution is one convolution for each remainder of its
 * stride. Included behind columns.h or columns_s16.h. */
#ifndef DPL_CORTEX_M_CONVOLUTION_H
#define DPL_CORTEX_M_CONVOLUTION_H

#include "dpl/cortex_m/finish.h"
#include "dpl/remainder_axis.h"

typedef struct {
    const tensor *input, *output;
    dpl_window window;
    int32_t input_zero;
    const uint32_t *weights; /* packed pairs */
    const dpl_requant *requant;
    void *scratch;
    stripes rows, columns;
} convolution;

/* All of the output of `A`, the arguments of a kernel. */
#define WHOLE_CONVOLUTION(A)                                                                       \
    {                                                                                              \
        &(A)->input, &(A)->output, (A)->window, (A)->input_zero,                                   \
            (const uint32_t *)(const void *)(A)->weights, &(A)->requant, (A)->scratch,             \
            {0, 1, (A)->output.height}, {                                                          \
            0, 1, (A)->output.width                                                                \
        }                                                                                          \
    }

/* Of the next outputs of pixels that were begun elsewhere. */
static inline void move_all(three_pixels *to, int32_t triples, int32_t distance) {
    for (int32_t i = 0; distance != 0 && i < triples; i++) {
        to[i].at += distance;
    }
}

#endif

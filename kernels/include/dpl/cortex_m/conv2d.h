/* Conv2d of one group, any window: a body, with columns and outputs of its type before it. */
#include "dpl/cortex_m/convolve.h"

void KERNEL(const args *a) {
    const convolution v = {&a->input,
                           &a->output,
                           a->window,
                           a->input_zero,
                           (const uint32_t *)(const void *)a->weights,
                           &a->requant,
                           a->scratch,
                           {0, 1, a->output.height},
                           {0, 1, a->output.width}};
    convolve(&v);
}

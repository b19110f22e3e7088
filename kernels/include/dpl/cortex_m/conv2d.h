/* Conv2d of one group, any window: a body, with columns and outputs of its type before it. */
#include "dpl/cortex_m/convolve.h"
#include "dpl/cortex_m/long_rows.h"

void KERNEL(const args *a) {
    convolution v = WHOLE_CONVOLUTION(a);
    tensor input = a->input, output = a->output;
    lengthen_rows(&v, &input, &output);
    convolve(&v);
}

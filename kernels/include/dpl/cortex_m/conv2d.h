/* Conv2d of one group, any window: a body, with columns and outputs of its type before it. */
#include "dpl/cortex_m/convolve.h"

void KERNEL(const args *a) {
    const convolution v = WHOLE_CONVOLUTION(a);
    convolve(&v);
}

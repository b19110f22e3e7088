/* Conv2d, int8, one group, any window. */
#include "dpl/neon/convolve_s8.h"

void dpl_conv2d_s8__armv8a(const dpl_conv2d_s8_args *a) {
    convolve(a);
}

/* Conv2d, int8, any groups and window. */
#include "dpl/conv2d.h"
#include "dpl/neon/convolve_s8.h"

void dpl_conv2d_s8__armv8a(const dpl_conv2d_s8_args *a) {
    convolution v = {.input = a->input,
                     .output = a->output,
                     .window = a->window,
                     .input_zero = a->input_zero,
                     .requant = &a->requant,
                     .scratch = a->scratch,
                     .rows = {0, 1, a->output.height},
                     .columns = {0, 1, a->output.width}};
    convolve(&v, a->groups, a->weights);
}

/* Conv2d, any groups and window: a body, with blocks of its type and `args` before it. */
#include "dpl/neon/bytes.h"
#include "dpl/neon/convolve.h"

void KERNEL(const args *a) {
    convolution v = {.input = AS_BYTES(a->input),
                     .output = AS_BYTES(a->output),
                     .window = a->window,
                     .input_zero = a->input_zero,
                     .requant = &a->requant,
                     .scratch = a->scratch,
                     .rows = {0, 1, a->output.height},
                     .columns = {0, 1, a->output.width}};
    convolve(&v, a->groups, a->weights);
}

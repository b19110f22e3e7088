/* Conv2d, any groups and window: a body, with blocks of its type and `args` before it. */
#include "dpl/neon/bytes.h"

void KERNEL(const args *a) {
    const stripes rows = {0, 1, a->output.height}, columns = {0, 1, a->output.width};
    convolution v;
    AS_BYTES(v.input, a->input);
    AS_BYTES(v.output, a->output);
    v.window = a->window;
    SET_RULE(&v, a);
    v.scratch = a->scratch;
    v.rows = rows;
    v.columns = columns;
    v.core_bytes = strip_bytes(&v, v.input.channels / a->groups);
    convolve(&v, a->groups, (const void *)a->weights);
}

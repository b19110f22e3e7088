/* Conv2d, any groups and window: a body, with blocks of its type and `args` before it. A depthwise
 * convolution has as many groups as channels: GROUPS. */
#include "dpl/neon/bytes.h"

#ifndef GROUPS
#define GROUPS(A) ((A)->groups)
#endif

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
    v.core_bytes = strip_bytes(&v, v.input.channels / GROUPS(a));
    convolve(&v, GROUPS(a), (const void *)a->weights);
}

/* Conv2d, any groups and window: a body, with blocks of its type and `args` before it. A depthwise
 * convolution has as many groups as channels: GROUPS. */
#include "dpl/neon/bytes.h"

#ifndef GROUPS
#define GROUPS(A) ((A)->groups)
#endif

static void convolution_of(convolution *v, const args *a) {
    const stripes rows = {0, 1, a->output.height}, columns = {0, 1, a->output.width};
    AS_BYTES(v->input, a->input);
    AS_BYTES(v->output, a->output);
    v->window = a->window;
    SET_RULE(v, a);
    v->scratch = a->scratch;
    v->rows = rows;
    v->columns = columns;
}

#ifdef DPL_NEON_PLANES_PHASES_H
/* A phase of `count`; returns what it needs of a core. */
static int32_t phase_of(convolution *v, const args *a, int32_t i, int32_t count) {
    convolution_of(v, a);
    take_phase(v, i, count);
    return strip_bytes(v, v->input.channels / GROUPS(a));
}

/* No core's scratch is where another one's of an earlier phase is. */
void KERNEL(const args *a) {
    convolution v;
    int32_t most = phase_of(&v, a, 0, 1);
    const int32_t count = phases_of(&v), last = count < a->output.height ? count : a->output.height;
    for (int32_t i = 0; i < last && count > 1; i++) {
        const int32_t bytes = phase_of(&v, a, i, count);
        most = i == 0 || bytes > most ? bytes : most;
    }
    for (int32_t i = 0; i < last; i++) {
        convolution_of(&v, a);
        take_phase(&v, i, count);
        v.core_bytes = most;
        convolve(&v, GROUPS(a), (const void *)a->weights);
    }
}
#else
void KERNEL(const args *a) {
    convolution v;
    convolution_of(&v, a);
    v.core_bytes = strip_bytes(&v, v.input.channels / GROUPS(a));
    convolve(&v, GROUPS(a), (const void *)a->weights);
}
#endif

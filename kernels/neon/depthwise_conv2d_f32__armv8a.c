/* DepthwiseConv2d, float. */
#include "dpl/depthwise_conv2d.h"
#include "dpl/neon/bytes.h"
#include "dpl/neon/depthwise_f32.h"

/* behind the types of floats */
#include "dpl/neon/depthwise.h"

void dpl_depthwise_conv2d_f32__armv8a(const dpl_depthwise_conv2d_f32_args *a) {
    const float_bounds bounds = {a->low, a->high};
    int32_t zero = 0;
    depthwise d;
    __asm__("" : "+r"(zero)); /* of a constant gcc would make a call of memset */
    AS_BYTES(d.input, a->input);
    AS_BYTES(d.output, a->output);
    d.window = a->window;
    d.requant = &bounds;
    d.taps.pairs_fit = 0;
    d.pieces = (const int8_t *)(const void *)a->weights;
    d.period = 0;
    d.group = group_of(&d);
    turn_columns(&d);
    run_depthwise(&d, zero, a->scratch, 0);
}

/* DepthwiseConv2d: a body, with sums of its type, `args` and PIECES, where the pieces of weights
 * begin, before it. */
#include "dpl/neon/bytes.h"
#include "dpl/neon/depthwise.h"

void KERNEL(const args *a) {
    depthwise d;
    AS_BYTES(d.input, a->input);
    AS_BYTES(d.output, a->output);
    d.window = a->window;
    d.requant = &a->requant;
    d.taps.pairs_fit = PAIRS_FIT(a);
    d.pieces = PIECES(a);
    run_depthwise(&d, a->input_zero, a->scratch);
}

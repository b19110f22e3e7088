/* DepthwiseConv2d: a body, with sums and copies of its type, `args` and PIECES, where the pieces of
 * weights begin, before it. */
#include "dpl/neon/bytes.h"
#include "dpl/neon/depthwise_phases.h"

void KERNEL(const args *a) {
    depthwise d;
    AS_BYTES(d.input, a->input);
    AS_BYTES(d.output, a->output);
    d.window = a->window;
    d.requant = &a->requant;
    d.taps.pairs_fit = PAIRS_FIT(a);
    d.pieces = PIECES(a);
    run_phases(&d, a->input_zero, a->scratch);
}

/* DepthwiseConv2d: a body, with sums of its type, `args` and PIECES, where the pieces of weights
 * begin, before it. */
#include "dpl/neon/bytes.h"
#include "dpl/neon/depthwise.h"

void KERNEL(const args *a) {
    depthwise d = {.input = AS_BYTES(a->input),
                   .output = AS_BYTES(a->output),
                   .window = a->window,
                   .requant = &a->requant,
                   .taps = {.pairs_fit = PAIRS_FIT(a)},
                   .pieces = PIECES(a)};
    run_depthwise(&d, a->input_zero, a->scratch);
}

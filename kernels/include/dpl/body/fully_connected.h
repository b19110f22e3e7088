/* FullyConnected: four rows of weights at a time, so that the input is read once for four outputs.
 * Weights are used once each, in four sequential streams. */
#include "dpl/body/dot.h"
#include "dpl/body/requant.h"
#include "dpl/cores.h"

void KERNEL(const args *a) {
    const element *input = row_of(&a->input, 0);
    element *restrict out = row_of(&a->output, 0);
    const int32_t depth = a->input.channels;
    const dpl_share share = dpl_core_share(a->output.channels);
    for (int32_t c = share.begin; c < share.end; c += DOT_ROWS) {
        int32_t left = share.end - c;
        int32_t count = left < DOT_ROWS ? left : DOT_ROWS;
        int32_t acc[DOT_ROWS], at[DOT_ROWS];
        dot_start(acc, a->bias + c, count);
        dot_rows(at, depth, count);
        dot(input, a->weights + c * depth, at, depth, acc);
        requantize_block(&a->requant, acc, c, count, out + c);
    }
}

/* FullyConnected, int8, portable: four rows of weights at a time, so that the input is read once
 * for four outputs. Weights are used once each, in four sequential streams. */
#include "dpl/cores.h"
#include "dpl/dot.h"
#include "dpl/fully_connected.h"

void dpl_fully_connected_s8__ref(const dpl_fully_connected_s8_args *a) {
    const int8_t *input = dpl_row_s8(&a->input, 0);
    int8_t *restrict out = dpl_row_s8(&a->output, 0);
    const int32_t depth = a->input.channels;
    const dpl_share share = dpl_core_share(a->output.channels);
    for (int32_t c = share.begin; c < share.end; c += DPL_DOT_ROWS) {
        int32_t left = share.end - c;
        int32_t count = left < DPL_DOT_ROWS ? left : DPL_DOT_ROWS;
        int32_t acc[DPL_DOT_ROWS], at[DPL_DOT_ROWS];
        dpl_dot_start(acc, a->bias + c, count);
        dpl_dot_rows(at, depth, count);
        dpl_dot_s8(input, a->weights + c * depth, at, depth, acc);
        dpl_requantize_block(&a->requant, acc, c, count, out + c);
    }
}

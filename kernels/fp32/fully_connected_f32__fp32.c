/* FullyConnected, float, portable: four rows of weights at a time, so that the input is read once
 * for four outputs. */
#include "dpl/body/dot_f32.h"
#include "dpl/cores.h"
#include "dpl/fully_connected.h"

void dpl_fully_connected_f32__fp32(const dpl_fully_connected_f32_args *a) {
    const float *input = row_of(&a->input, 0);
    float *restrict out = row_of(&a->output, 0);
    const int32_t depth = a->input.channels;
    const dpl_share share = dpl_core_share(a->output.channels);
    for (int32_t c = share.begin; c < share.end; c += DOT_ROWS) {
        const int32_t left = share.end - c;
        const int32_t count = left < DOT_ROWS ? left : DOT_ROWS;
        float acc[DOT_ROWS];
        int32_t at[DOT_ROWS];
        dot_start(acc, a->bias + c, count);
        dot_rows(at, depth, count);
        dot(input, a->weights + c * depth, at, depth, acc);
        dot_finish(acc, a->low, a->high, count, out + c);
    }
}

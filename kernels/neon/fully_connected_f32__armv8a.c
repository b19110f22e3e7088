/* FullyConnected, float: the input by sixteen channels at a time, every weight read once, in the
 * order in which weights lie. */
#include "dpl/cores.h"
#include "dpl/fully_connected.h"
#include "dpl/neon/blocking.h"
#include "dpl/neon/floats.h"

enum { CHANNELS = DPL_DENSE_FLOATS, VECTORS = CHANNELS / 4 };

/* The channels of a piece, which begins with their biases, `first` and on. A value takes four loads
 * of two cycles each and four products, which do not wait for one another. */
static void run_piece(const dpl_fully_connected_f32_args *a, const float *piece, int32_t first) {
    const float_bounds bounds = {a->low, a->high};
    const float *input = dpl_row_f32(&a->input, 0);
    float *to = dpl_row_f32(&a->output, 0) + first;
    float32x4_t sums[VECTORS];
    UNROLLED for (int i = 0; i < VECTORS; i++) {
        sums[i] = vld1q_f32(piece + 4 * i);
    }
    for (int32_t k = 0; k < a->input.channels; k++) {
        const float32x4_t value = vld1q_dup_f32(input + k);
        piece += CHANNELS;
        UNROLLED for (int i = 0; i < VECTORS; i++) {
            sums[i] = vfmaq_f32(sums[i], vld1q_f32(piece + 4 * i), value);
        }
    }
    UNROLLED for (int i = 0; i < VECTORS; i++) {
        store_some(to + 4 * i, within(sums[i], &bounds), a->output.channels - first - 4 * i);
    }
}

void dpl_fully_connected_f32__armv8a(const dpl_fully_connected_f32_args *a) {
    const int32_t piece = (1 + a->input.channels) * CHANNELS;
    const dpl_share share = dpl_core_share((a->output.channels + CHANNELS - 1) / CHANNELS);
    for (int32_t i = share.begin; i < share.end; i++) {
        run_piece(a, a->weights + i * piece, i * CHANNELS);
    }
}

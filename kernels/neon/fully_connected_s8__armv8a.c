/* FullyConnected, int8: the input by eight channels at a time, every weight read once. */
#include "dpl/cores.h"
#include "dpl/fully_connected.h"
#include "dpl/neon/block_s8.h"
#include "dpl/neon/copies.h"
#include "dpl/neon/outputs_s8.h"

#define PAIR (2 * CHANNELS)

/* Eight channels from `first` on, or those that are left: of fewer than five the second half
 * repeats the first. */
static void run_pair(const dpl_fully_connected_s8_args *a, const packed_weights *w,
                     const int8_t *input, int32_t first) {
    const dpl_requant *q = &a->requant;
    const int32_t channels = a->output.channels - first;
    const int8_t *piece = w->pieces + first / CHANNELS * w->piece_bytes;
    const int8_t *pieces[2] = {piece, channels > CHANNELS ? piece + w->piece_bytes : piece};
    int32x4_t sums[4] = {vdupq_n_s32(0), vdupq_n_s32(0), vdupq_n_s32(0), vdupq_n_s32(0)};
    int8_t outputs[4 * CHANNELS];
    for (int i = 0; i < 2; i++) {
        sum_pixels(w, pieces[i], &input, 1, sums + i);
        scale_sums(q->rule, &tables_of(w, pieces[i])->channels, sums + i, 1);
    }
    vst1q_s8(outputs, limited(sums, q));
    copy_run(dpl_row_s8(&a->output, 0) + first, outputs, channels < PAIR ? channels : PAIR);
}

/* The input in whole steps: weights behind its end are zero. Each core has its own. */
static const int8_t *whole_steps(const dpl_fully_connected_s8_args *a, int32_t steps) {
    const int8_t *in = dpl_row_s8(&a->input, 0);
    int8_t *own = (int8_t *)a->scratch + dpl_core_id() * steps * STEP;
    if (a->input.channels % STEP == 0) {
        return in;
    }
    copy_run(own, in, a->input.channels);
    return own;
}

void dpl_fully_connected_s8__armv8a(const dpl_fully_connected_s8_args *a) {
    const packed_weights w = unpack_weights(a->weights, a->input.channels, a->output.channels);
    const dpl_share share = dpl_core_share((a->output.channels + PAIR - 1) / PAIR);
    const int8_t *input = whole_steps(a, w.steps);
    for (int32_t i = share.begin; i < share.end; i++) {
        run_pair(a, &w, input, i * PAIR);
    }
}

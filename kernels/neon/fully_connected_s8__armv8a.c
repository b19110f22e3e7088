/* FullyConnected, int8: the input by eight channels at a time, every weight read once. */
#include "dpl/cores.h"
#include "dpl/fully_connected.h"
#include "dpl/neon/block_s8.h"
#include "dpl/neon/copies.h"
#include "dpl/neon/outputs_s8.h"

#define PAIR (2 * CHANNELS)

typedef struct {
    const dpl_fully_connected_s8_args *a;
    const int8_t *input, *weights;
    int32_t steps, piece; /* bytes of a piece */
    int32_t chained;      /* whether two products fit 16 bits */
} plan;

/* Eight channels from `first` on, or those that are left: the second half of fewer than five
 * repeats the first. */
static void run_pair(const plan *p, int32_t first) {
    const dpl_requant *q = &p->a->requant;
    const int32_t channels = p->a->output.channels - first;
    const int32_t second = channels > CHANNELS ? p->piece : 0;
    const int8_t *weights = p->weights + first / CHANNELS * p->piece;
    const int8_t *tables = weights + p->steps * CHANNELS * STEP;
    int32x4_t sums[4] = {vdupq_n_s32(0), vdupq_n_s32(0), vdupq_n_s32(0), vdupq_n_s32(0)};
    int8_t outputs[4 * CHANNELS];
    (p->chained ? sum_1x8 : sum_1x8_wide)(p->input, weights, second, p->steps, sums);
    scale_sums(q->rule, (const four_channels *)(const void *)tables, sums, 1);
    scale_sums(q->rule, (const four_channels *)(const void *)(tables + second), sums + 1, 1);
    vst1q_s8(outputs, limited(sums, q));
    copy_run(dpl_row_s8(&p->a->output, 0) + first, outputs, channels < PAIR ? channels : PAIR);
}

/* The input in whole steps: weights behind its end are zero. */
static const int8_t *whole_steps(const dpl_fully_connected_s8_args *a) {
    const int8_t *in = dpl_row_s8(&a->input, 0);
    if (a->input.channels % STEP == 0) {
        return in;
    }
    copy_run(a->scratch, in, a->input.channels);
    return a->scratch;
}

void dpl_fully_connected_s8__armv8a(const dpl_fully_connected_s8_args *a) {
    const int32_t steps = (a->input.channels + STEP - 1) / STEP, channels = a->output.channels;
    const int32_t *header = (const int32_t *)(const void *)a->weights;
    const plan p = {a,     whole_steps(a),     a->weights + DPL_WEIGHT_HEADER_BYTES,
                    steps, piece_bytes(steps), header[0]};
    const dpl_share share = dpl_core_share((channels + PAIR - 1) / PAIR);
    for (int32_t i = share.begin; i < share.end; i++) {
        run_pair(&p, i * PAIR);
    }
}

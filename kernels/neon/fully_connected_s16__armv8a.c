/* FullyConnected, int16: the input by eight channels at a time, every weight read once. */
#include "dpl/cores.h"
#include "dpl/fully_connected.h"
#include "dpl/neon/block_s16.h"
#include "dpl/neon/copies.h"
#include "dpl/neon/outputs_s16.h"

/* The channels of a piece, `first` and on. */
static void run_piece(const dpl_fully_connected_s16_args *a, const packed_weights *w,
                      const int8_t *input, int32_t first) {
    const int8_t *piece = w->pieces + first / CHANNELS * w->piece_bytes;
    const four_tables *tables = tables_of(w, piece);
    int32x4_t low, high;
    sum_1x8(w, piece, input, &low, &high);
    scale_biased(a->requant.rule, tables, 0, &low, 1);
    scale_biased(a->requant.rule, tables + 1, 0, &high, 1);
    store_pixel(dpl_row_s16(&a->output, 0) + first, limited(low, high, &a->requant),
                a->output.channels - first);
}

/* The input in whole steps: weights behind its end are zero. Each core has its own. */
static const int8_t *whole_steps(const dpl_fully_connected_s16_args *a, int32_t steps) {
    const int8_t *in = (const int8_t *)(const void *)dpl_row_s16(&a->input, 0);
    int8_t *own = (int8_t *)a->scratch + dpl_core_id() * steps * STEP_BYTES;
    if (a->input.channels % STEP == 0) {
        return in;
    }
    copy_run(own, in, a->input.channels * ELEMENT_BYTES);
    return own;
}

void dpl_fully_connected_s16__armv8a(const dpl_fully_connected_s16_args *a) {
    const int32_t channels = a->output.channels;
    const packed_weights w =
        unpack_weights(a->weights, a->input.channels * ELEMENT_BYTES, channels);
    const dpl_share share = dpl_core_share((channels + CHANNELS - 1) / CHANNELS);
    const int8_t *input = whole_steps(a, w.steps);
    for (int32_t i = share.begin; i < share.end; i++) {
        run_piece(a, &w, input, i * CHANNELS);
    }
}

/* FullyConnected, int8: the input by eight channels at a time, every weight read once. */
#include "dpl/cores.h"
#include "dpl/fully_connected.h"
#include "dpl/neon/block_row_s8.h"
#include "dpl/neon/copies.h"

/* Eight outputs, of which there may be fewer. */
static inline void store_outputs(const dpl_fully_connected_s8_args *a, const int32x4_t *sums,
                                 int32_t first) {
    const int16x8_t both = vcombine_s16(vqmovn_s32(sums[0]), vqmovn_s32(sums[1]));
    const int8x8_t low = vdup_n_s8((int8_t)a->requant.low);
    const int8x8_t high = vdup_n_s8((int8_t)a->requant.high);
    const int8x8_t outputs = vmin_s8(vmax_s8(vqmovn_s16(both), low), high);
    const int32_t left = a->output.channels - first;
    int8_t *to = dpl_row_s8(&a->output, 0) + first, all[CHANNELS];
    if (left >= CHANNELS) {
        vst1_s8(to, outputs);
        return;
    }
    vst1_s8(all, outputs);
    copy_short(to, all, left);
}

/* The outputs of a piece from `first` on. */
static void run_piece(const dpl_fully_connected_s8_args *a, const packed_weights *w,
                      const int8_t *input, int32_t first) {
    const int8_t *piece = w->pieces + first / CHANNELS * w->piece_bytes;
    const four_tables *tables = tables_of(w, piece, CHANNELS);
    int32x4_t sums[2];
    read_ahead(piece, w->steps_bytes);
    sum_1x8(w, piece, input, sums);
    add_corrections(w, piece, input, CHANNELS, sums);
    scale_sums(a->requant.rule, tables, sums, 1);
    scale_sums(a->requant.rule, tables + 1, sums + 1, 1);
    store_outputs(a, sums, first);
}

/* Those of a last piece that has four at most. */
static void run_half(const dpl_fully_connected_s8_args *a, const packed_weights *w,
                     const int8_t *input, int32_t first) {
    const int8_t *piece = w->pieces + first / CHANNELS * w->piece_bytes;
    int32x4_t sums[2];
    sum_row(w, piece, input, HALF_CHANNELS, sums);
    add_corrections(w, piece, input, HALF_CHANNELS, sums);
    scale_sums(a->requant.rule, tables_of(w, piece, HALF_CHANNELS), sums, 1);
    sums[1] = sums[0];
    store_outputs(a, sums, first);
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
    const int32_t channels = a->output.channels;
    const packed_weights w = unpack_weights(a->weights, a->input.channels, channels);
    const dpl_share share = dpl_core_share((channels + CHANNELS - 1) / CHANNELS);
    const int8_t *input = whole_steps(a, w.steps);
    for (int32_t i = share.begin; i < share.end; i++) {
        if (channels - i * CHANNELS > HALF_CHANNELS) {
            run_piece(a, &w, input, i * CHANNELS);
        } else {
            run_half(a, &w, input, i * CHANNELS);
        }
    }
}

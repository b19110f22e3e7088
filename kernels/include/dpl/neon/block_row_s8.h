/* Sums of products of one row of int8 by eight output channels, sixteen values of each at a time:
 * what a dense layer is made of. Lanes are as in block_s8.h: quads, pairs and corrections, of eight
 * channels since the row's values are then loaded half as often. What a piece takes lies in the
 * order in which it is read: memory has to give each weight once, and does so ahead only of lines
 * that follow one another. */
#ifndef DPL_NEON_BLOCK_ROW_S8_H
#define DPL_NEON_BLOCK_ROW_S8_H

#include "dpl/neon/blocking.h"
#include "dpl/neon/lanes_s8.h"
#include "dpl/neon/scale.h"

#define CHANNELS DPL_ROW_BLOCK_CHANNELS
#define HALF_CHANNELS (CHANNELS / 2) /* of a last piece that has no more */
#define STEP DPL_STEP_VALUES
#define PLACE_BYTES 8 /* places are counted in these, so that 16 bits suffice */
#define LINE_BYTES 64

/* A weight's excess, of eight channels: value `at` of the row times these belongs to the sums. */
typedef struct {
    int16_t excess[CHANNELS];
    int32_t at, unused;
} correction;

/* Before the weights of a piece: which corrections are its own, how many quads and pairs it has,
 * where in the row its steps are, then a place that may be read. Behind the weights: the tables. */
typedef struct {
    int32_t first, count, quads, pairs;
    uint16_t at[];
} piece_steps;

typedef struct {
    const int8_t *pieces;
    const correction *corrections;
    int32_t steps, steps_bytes, piece_bytes;
} packed_weights;

/* Of a row of `values` values by `channels` channels. */
static inline packed_weights unpack_weights(const int8_t *weights, int32_t values,
                                            int32_t channels) {
    const int32_t steps = (values + STEP - 1) / STEP, places = (steps + 1 + 7) / 8 * 8;
    const int32_t steps_bytes = (int32_t)sizeof(piece_steps) + 2 * places;
    const int32_t half = HALF_CHANNELS * steps * STEP + (int32_t)sizeof(four_tables);
    const int32_t bytes = steps_bytes + 2 * half, left = channels % CHANNELS;
    const int32_t last = left == 0 ? 0 : steps_bytes + (left > HALF_CHANNELS ? 2 : 1) * half;
    const int8_t *end = weights + channels / CHANNELS * bytes + last;
    const packed_weights w = {.pieces = weights,
                              .corrections = (const correction *)(const void *)end,
                              .steps = steps,
                              .steps_bytes = steps_bytes,
                              .piece_bytes = bytes};
    return w;
}

static inline const piece_steps *steps_of(const int8_t *piece) {
    return (const piece_steps *)(const void *)piece;
}

/* Of a piece of so many channels. */
static inline const four_tables *tables_of(const packed_weights *w, const int8_t *piece,
                                           int channels) {
    return (const four_tables *)(const void *)(piece + w->steps_bytes + channels * w->steps * STEP);
}

/* Reads each line of what is before the weights, so that these follow it: their first lines would
 * be read before the last places otherwise. */
static inline void read_ahead(const int8_t *from, int32_t bytes) {
    for (int32_t i = 0; i < bytes; i += LINE_BYTES) {
        __asm__ volatile("" : : "r"(from[i]));
    }
}

/* Sums of a piece of `channels` channels, a constant, four in a vector. */
INLINED void sum_row(const packed_weights *w, const int8_t *piece, const int8_t *row, int channels,
                     int32x4_t *sums) {
    const piece_steps *steps = steps_of(piece);
    const int8_t *weights = piece + w->steps_bytes;
    const uint16_t *at = steps->at;
    int32x4_t lanes[CHANNELS];
    UNROLLED for (int c = 0; c < channels; c++) {
        lanes[c] = vdupq_n_s32(0);
    }
    for (int32_t i = 0; i < steps->quads; i++, at += 2, weights += 2 * channels * STEP) {
        const int8x16_t first = vld1q_s8(row + at[0] * PLACE_BYTES);
        const int8x16_t last = vld1q_s8(row + at[1] * PLACE_BYTES);
        UNROLLED for (int c = 0; c < channels; c++) {
            const int16x8_t two = pair_of(first, vld1q_s8(weights + c * STEP));
            const int8x16_t others = vld1q_s8(weights + (channels + c) * STEP);
            lanes[c] = vpadalq_s16(lanes[c], add_pair(two, last, others));
        }
    }
    for (int32_t i = 0; i < steps->pairs; i++, at++, weights += channels * STEP) {
        const int8x16_t values = vld1q_s8(row + *at * PLACE_BYTES);
        UNROLLED for (int c = 0; c < channels; c++) {
            lanes[c] = vpadalq_s16(lanes[c], pair_of(values, vld1q_s8(weights + c * STEP)));
        }
    }
    UNROLLED for (int c = 0; c < channels; c += 4) {
        sums[c / 4] = sums_of(lanes + c);
    }
}

#ifdef __aarch64__
#include "dpl/neon/block_row_s8_a64.h"
#endif

static inline void sum_1x8(const packed_weights *w, const int8_t *piece, const int8_t *row,
                           int32x4_t *sums) {
#ifdef __aarch64__
    const piece_steps *steps = steps_of(piece);
    sum_1x8_a53(row, piece + w->steps_bytes, steps->at, steps->quads, steps->pairs, sums, sums + 1);
#else
    sum_row(w, piece, row, CHANNELS, sums);
#endif
}

/* To eight sums, or four where `channels` are. */
INLINED void add_corrections(const packed_weights *w, const int8_t *piece, const int8_t *row,
                             int channels, int32x4_t *sums) {
    const correction *by = w->corrections + steps_of(piece)->first;
    const correction *end = by + steps_of(piece)->count;
    for (; by < end; by++) {
        const int16x8_t excess = vld1q_s16(by->excess);
        const int16x4_t value = vdup_n_s16(row[by->at]);
        sums[0] = vmlal_s16(sums[0], vget_low_s16(excess), value);
        if (channels > HALF_CHANNELS) {
            sums[1] = vmlal_s16(sums[1], vget_high_s16(excess), value);
        }
    }
}

#endif

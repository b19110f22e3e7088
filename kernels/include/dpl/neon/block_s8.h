/* Sums of products of int8, sixteen values of each at a time.
 *
 * A product of 8 bits fits 16, and so do four whose weights' magnitudes add up to 255 at most: then
 * SADALP, which adds neighbours to sums of 32 bits, is needed once for 32 products (a quad).
 * Packing sees to it: it decides for each piece which steps of a window make a quad, and what a
 * weight still has too much it puts into a list of corrections. What would take many stays as
 * steps of two products (pairs). */
#ifndef DPL_NEON_BLOCK_S8_H
#define DPL_NEON_BLOCK_S8_H

#include "dpl/neon/blocking.h"
#include "dpl/neon/lanes_s8.h"
#include "dpl/neon/scale.h"

#define PIXELS DPL_NARROW_BLOCK_PIXELS
#define CHANNELS DPL_NARROW_BLOCK_CHANNELS
#define STEP DPL_STEP_VALUES
#define STEP_BYTES DPL_STEP_BYTES
#define ELEMENT_BYTES 1

/* A weight's excess, of four channels: value `at` of a window times these belongs to the sums. */
typedef struct {
    int16_t excess[4];
    int32_t at, unused;
} correction;

/* Behind the weights of a piece: tables of its channels, which corrections are its own, and where
 * in a window its steps are: two of each quad, then those of pairs, then two that may be read. */
typedef struct {
    four_tables channels;
    int32_t first, count, quads, pairs;
    int32_t at[];
} piece_tables;

typedef struct {
    int32_t bytes, unused[3]; /* of all, corrections included */
} weight_header;

/* Packed weights of a group. */
typedef struct {
    const int8_t *pieces;
    const correction *corrections;
    int32_t steps, piece_bytes, bytes;
} packed_weights;

/* Of a group of `channels` channels, whose windows have `values` values. */
static inline packed_weights unpack_weights(const int8_t *weights, int32_t values,
                                            int32_t channels) {
    const weight_header *header = (const weight_header *)(const void *)weights;
    const int32_t steps = (values + STEP - 1) / STEP, places = (steps + 2 + 3) / 4 * 4;
    const int32_t bytes = CHANNELS * steps * STEP + (int32_t)sizeof(piece_tables) + 4 * places;
    const int32_t pieces_bytes = (channels + CHANNELS - 1) / CHANNELS * bytes;
    const int8_t *pieces = weights + sizeof(weight_header);
    const packed_weights w = {.pieces = pieces,
                              .corrections =
                                  (const correction *)(const void *)(pieces + pieces_bytes),
                              .steps = steps,
                              .piece_bytes = bytes,
                              .bytes = header->bytes};
    return w;
}

static inline const piece_tables *tables_of(const packed_weights *w, const int8_t *piece) {
    return (const piece_tables *)(const void *)(piece + CHANNELS * w->steps * STEP);
}

/* COUNT pixels by the channels of a piece to `lanes`, which are of a pixel after the other. */
INLINED void add_steps(const piece_tables *tables, const int8_t *weights,
                       const int8_t *const *pixel, int count, int32x4_t *lanes) {
    const int32_t *at = tables->at;
    for (int32_t i = 0; i < tables->quads; i++, at += 2, weights += 2 * CHANNELS * STEP) {
        UNROLLED for (int c = 0; c < CHANNELS; c++) {
            const int8x16_t first = vld1q_s8(weights + c * STEP);
            const int8x16_t last = vld1q_s8(weights + (CHANNELS + c) * STEP);
            UNROLLED for (int p = 0; p < count; p++) {
                int16x8_t four = pair_of(vld1q_s8(pixel[p] + at[0]), first);
                four = add_pair(four, vld1q_s8(pixel[p] + at[1]), last);
                lanes[p * CHANNELS + c] = vpadalq_s16(lanes[p * CHANNELS + c], four);
            }
        }
    }
    for (int32_t i = 0; i < tables->pairs; i++, at++, weights += CHANNELS * STEP) {
        UNROLLED for (int c = 0; c < CHANNELS; c++) {
            const int8x16_t b = vld1q_s8(weights + c * STEP);
            UNROLLED for (int p = 0; p < count; p++) {
                lanes[p * CHANNELS + c] =
                    vpadalq_s16(lanes[p * CHANNELS + c], pair_of(vld1q_s8(pixel[p] + *at), b));
            }
        }
    }
}

INLINED void add_correction(const correction *by, const int8_t *const *pixel, int pixels,
                            int32x4_t *sums) {
    const int16x4_t excess = vld1_s16(by->excess);
    UNROLLED for (int p = 0; p < pixels; p++) {
        sums[p] = vmlal_s16(sums[p], excess, vdup_n_s16(pixel[p][by->at]));
    }
}

/* By twos: an address, a byte, a vector and a product wait for each other, those of two do not. */
INLINED void add_corrections(const packed_weights *w, const piece_tables *tables,
                             const int8_t *const *pixel, int pixels, int32x4_t *sums) {
    const correction *by = w->corrections + tables->first;
    int32_t left = tables->count;
    for (; left >= 2; left -= 2, by += 2) {
        add_correction(by, pixel, pixels, sums);
        add_correction(by + 1, pixel, pixels, sums);
    }
    if (left > 0) {
        add_correction(by, pixel, pixels, sums);
    }
}

/* The channels of a piece, of `count` pixels. */
INLINED void sum_pixels(const packed_weights *w, const int8_t *piece, const int8_t *const *pixel,
                        int count, int32x4_t *sums) {
    int32x4_t lanes[PIXELS * CHANNELS];
    UNROLLED for (int i = 0; i < count * CHANNELS; i++) {
        lanes[i] = vdupq_n_s32(0);
    }
    add_steps(tables_of(w, piece), piece, pixel, count, lanes);
    UNROLLED for (int i = 0; i < count; i++) {
        sums[i] = sums_of(lanes + i * CHANNELS);
    }
    add_corrections(w, tables_of(w, piece), pixel, count, sums);
}

#ifdef __aarch64__
#include "dpl/neon/block_s8_a64.h"
#endif

/* Four pixels by the channels of a piece. */
static inline void sum_4x4(const packed_weights *w, const int8_t *piece, const int8_t *const *pixel,
                           int32x4_t *sums) {
#ifdef __aarch64__
    const piece_tables *tables = tables_of(w, piece);
    sum_4x4_a53(pixel, piece, tables->at, tables->quads, tables->pairs, sums);
    add_corrections(w, tables, pixel, PIXELS, sums);
#else
    sum_pixels(w, piece, pixel, PIXELS, sums);
#endif
}

#endif

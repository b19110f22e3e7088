/* Sums of products of int8, sixteen values of each at a time.
 *
 * A product of 8 bits fits 16, and so do four whose weights' magnitudes add up to 255 at most: then
 * SADALP, which adds neighbours to sums of 32 bits, is needed once for 32 products (a quad).
 * Packing sees to it: what a weight has too much it puts into a list of corrections. Where that
 * list would be long, two products are added in 16 bits (a pair). */
#ifndef DPL_NEON_BLOCK_S8_H
#define DPL_NEON_BLOCK_S8_H

#include "dpl/neon/blocking.h"
#include "dpl/neon/scale.h"

#define PIXELS DPL_NARROW_BLOCK_PIXELS
#define CHANNELS DPL_NARROW_BLOCK_CHANNELS
#define STEP DPL_STEP_VALUES
#define STEP_BYTES DPL_STEP_BYTES
#define ELEMENT_BYTES 1

/* A weight's excess, of four channels: value `at` of a window times these belongs to the sums. */
typedef struct {
    int32_t at, excess[4];
} correction;

/* Behind the weights of a piece: tables of its channels, and which corrections are its own. */
typedef struct {
    four_tables channels;
    int32_t first, count, unused[2];
} piece_tables;

typedef struct {
    int32_t has_quads, bytes, unused[2]; /* bytes of all, corrections included */
} weight_header;

/* Packed weights, and how a window's steps are taken. */
typedef struct {
    const int8_t *pieces;
    const correction *corrections;
    int32_t steps, quads, pairs, piece_bytes, bytes;
} packed_weights;

/* Of a group of `channels` channels, whose windows have `values` values. */
static inline packed_weights unpack_weights(const int8_t *weights, int32_t values,
                                            int32_t channels) {
    const weight_header *header = (const weight_header *)(const void *)weights;
    const int32_t steps = (values + STEP - 1) / STEP, quads = header->has_quads ? steps / 2 : 0;
    const int32_t bytes = CHANNELS * steps * STEP + (int32_t)sizeof(piece_tables);
    const int32_t pieces_bytes = (channels + CHANNELS - 1) / CHANNELS * bytes;
    const int8_t *pieces = weights + sizeof(weight_header);
    const packed_weights w = {.pieces = pieces,
                              .corrections =
                                  (const correction *)(const void *)(pieces + pieces_bytes),
                              .steps = steps,
                              .quads = quads,
                              .pairs = steps - 2 * quads,
                              .piece_bytes = bytes,
                              .bytes = header->bytes};
    return w;
}

static inline const piece_tables *tables_of(const packed_weights *w, const int8_t *piece) {
    return (const piece_tables *)(const void *)(piece + CHANNELS * w->steps * STEP);
}

/* Sums of a pixel, a channel in each lane. */
static inline int32x4_t sums_of(const int32x4_t *lanes) {
    return vpaddq_s32(vpaddq_s32(lanes[0], lanes[1]), vpaddq_s32(lanes[2], lanes[3]));
}

static inline int16x8_t add_pair(int16x8_t both, int8x16_t a, int8x16_t b) {
    both = vmlal_s8(both, vget_low_s8(a), vget_low_s8(b));
    return vmlal_s8(both, vget_high_s8(a), vget_high_s8(b));
}

static inline int16x8_t pair_of(int8x16_t a, int8x16_t b) {
    const int16x8_t one = vmull_s8(vget_low_s8(a), vget_low_s8(b));
    return vmlal_s8(one, vget_high_s8(a), vget_high_s8(b));
}

/* `channels` channels of `pixels` pixels to `lanes`, which are of a pixel after the other. */
#define ADD_STEPS(PIXEL, PIXEL_COUNT, WEIGHT, CHANNEL_COUNT, W, LANES)                             \
    int32_t k = 0, at = 0;                                                                         \
    for (int32_t i = 0; i < (W)->quads; i++, k += 2 * STEP, at += 2 * CHANNELS * STEP) {           \
        UNROLLED for (int c = 0; c < (CHANNEL_COUNT); c++) {                                       \
            const int8_t *from = (WEIGHT)[c / CHANNELS] + at + c % CHANNELS * STEP;                \
            const int8x16_t first = vld1q_s8(from), last = vld1q_s8(from + CHANNELS * STEP);       \
            UNROLLED for (int p = 0; p < (PIXEL_COUNT); p++) {                                     \
                int16x8_t four = pair_of(vld1q_s8((PIXEL)[p] + k), first);                         \
                four = add_pair(four, vld1q_s8((PIXEL)[p] + k + STEP), last);                      \
                (LANES)[p * (CHANNEL_COUNT) + c] =                                                 \
                    vpadalq_s16((LANES)[p * (CHANNEL_COUNT) + c], four);                           \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    for (int32_t i = 0; i < (W)->pairs; i++, k += STEP, at += CHANNELS * STEP) {                   \
        UNROLLED for (int c = 0; c < (CHANNEL_COUNT); c++) {                                       \
            const int8x16_t b = vld1q_s8((WEIGHT)[c / CHANNELS] + at + c % CHANNELS * STEP);       \
            UNROLLED for (int p = 0; p < (PIXEL_COUNT); p++) {                                     \
                (LANES)[p * (CHANNEL_COUNT) + c] = vpadalq_s16(                                    \
                    (LANES)[p * (CHANNEL_COUNT) + c], pair_of(vld1q_s8((PIXEL)[p] + k), b));       \
            }                                                                                      \
        }                                                                                          \
    }

static inline void add_corrections(const packed_weights *w, const piece_tables *tables,
                                   const int8_t *const *pixel, int32_t pixels, int32x4_t *sums) {
    for (int32_t i = 0; i < tables->count; i++) {
        const correction *by = &w->corrections[tables->first + i];
        const int32x4_t excess = vld1q_s32(by->excess);
        for (int32_t p = 0; p < pixels; p++) {
            sums[p] = vmlaq_s32(sums[p], excess, vdupq_n_s32(pixel[p][by->at]));
        }
    }
}

#ifdef __aarch64__
#include "dpl/neon/block_s8_a64.h"
#endif

/* Four pixels by the channels of a piece. */
static inline void sum_4x4(const packed_weights *w, const int8_t *piece, const int8_t *const *pixel,
                           int32x4_t *sums) {
#ifdef __aarch64__
    sum_4x4_a53(pixel, piece, w->quads, w->pairs, sums);
#else
    int32x4_t lanes[PIXELS * CHANNELS];
    UNROLLED for (int i = 0; i < PIXELS * CHANNELS; i++) {
        lanes[i] = vdupq_n_s32(0);
    }
    ADD_STEPS(pixel, PIXELS, &piece, CHANNELS, w, lanes)
    UNROLLED for (int i = 0; i < PIXELS; i++) {
        sums[i] = sums_of(lanes + i * CHANNELS);
    }
#endif
    add_corrections(w, tables_of(w, piece), pixel, PIXELS, sums);
}

/* A pixel by the channels of two pieces. */
static inline void sum_1x8(const packed_weights *w, const int8_t *const *pieces,
                           const int8_t *pixel, int32x4_t *sums) {
    int32x4_t lanes[2 * CHANNELS];
    UNROLLED for (int i = 0; i < 2 * CHANNELS; i++) {
        lanes[i] = vdupq_n_s32(0);
    }
    ADD_STEPS(&pixel, 1, pieces, 2 * CHANNELS, w, lanes)
    UNROLLED for (int i = 0; i < 2; i++) {
        sums[i] = sums_of(lanes + i * CHANNELS);
        add_corrections(w, tables_of(w, pieces[i]), &pixel, 1, sums + i);
    }
}

#endif

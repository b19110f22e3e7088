/* Depthwise convolution of int16 by int8, which is widened off line. */
#ifndef DPL_NEON_DEPTHWISE_S16_H
#define DPL_NEON_DEPTHWISE_S16_H

#include "dpl/neon/depthwise_taps.h"
#include "dpl/neon/outputs_s16.h"

#define ELEMENT_BYTES 2
#define WEIGHT_BYTES 2
#define TAP_STEP 1
typedef int16_t element;

#ifdef __aarch64__
#include "dpl/neon/depthwise_s16_a64.h"
#include "dpl/neon/depthwise_two_s16_a64.h"
#else
/* Of a block, limited. */
typedef struct {
    int16x8_t p0, p1, p2, p3;
} block_vectors;

static inline int16x8_t eight_at(const int8_t *from) {
    return vld1q_s16((const int16_t *)(const void *)from);
}

static inline eight_sums with_tap(eight_sums sums, int16x8_t a, int16x8_t x) {
    sums.low = vmlal_s16(sums.low, vget_low_s16(a), vget_low_s16(x));
    sums.high = vmlal_s16(sums.high, vget_high_s16(a), vget_high_s16(x));
    return sums;
}

static inline block_sums sum_each(const tap_list *taps, int32_t from, const int8_t *piece,
                                  const four_tables *tables) {
    const int8_t *const *at = taps->at;
    const eight_sums begin = {vld1q_s32(tables[0].bias), vld1q_s32(tables[1].bias)};
    block_sums sums = {begin, begin, begin, begin};
    for (int32_t t = taps->count; t > 0; t--, at += PIXELS, piece += WIDTH * WEIGHT_BYTES) {
        const int16x8_t x = eight_at(piece);
        sums.p0 = with_tap(sums.p0, eight_at(at[0] + from), x);
        sums.p1 = with_tap(sums.p1, eight_at(at[1] + from), x);
        sums.p2 = with_tap(sums.p2, eight_at(at[2] + from), x);
        sums.p3 = with_tap(sums.p3, eight_at(at[3] + from), x);
    }
    return sums;
}
#endif

INLINED block_sums sum_taps(const tap_list *taps, int32_t from, const int8_t *piece,
                            const four_tables *tables) {
#ifdef __aarch64__
    return sum_taps_a53(taps, from, piece, tables);
#else
    return sum_each(taps, from, piece, tables);
#endif
}

INLINED block_vectors outputs_of(const dpl_requant *q, const four_tables *tables, block_sums sums) {
#ifdef __aarch64__
    if (q->rule == DPL_Q32 && tables->rounding[0] == 0) {
        const usual_outputs by = usual_of(q, tables);
        return outputs_by(&by, tables, sums);
    }
#endif
    sums = scaled_by(q->rule, tables, sums);
    const block_vectors outputs = {
        limited(sums.p0.low, sums.p0.high, q), limited(sums.p1.low, sums.p1.high, q),
        limited(sums.p2.low, sums.p2.high, q), limited(sums.p3.low, sums.p3.high, q)};
    return outputs;
}

#ifdef __aarch64__
/* What most blocks are requantized by. */
#define USUAL_RULE DPL_Q32
#define LEAST_SLIDING 3 /* taps of a kernel row whose pixels are loaded once */

/* `slide`: bytes from a pixel to the next where rows of `width` taps are neighbours, else 0. */
INLINED block_sums sum_usual(const tap_list *taps, int64_t from, const int8_t *piece,
                             const four_tables *tables, int64_t slide, int32_t width) {
    if (slide == 0) {
        return sum_taps_a53(taps, from, piece, tables);
    }
    if (width == LEAST_SLIDING) {
        return sum_sliding_a53(taps, from, piece, tables, taps->count / LEAST_SLIDING, slide);
    }
    return sum_long_rows_a53(taps, from, piece, tables, width, slide);
}

/* Of `piece` and the one behind it. Only long rows load fewer pixels by sliding, twice. */
INLINED two_sums sum_both(const tap_list *taps, int64_t from, const int8_t *piece,
                          const four_tables *tables, int64_t slide, int32_t width) {
    if (slide == 0 || width == LEAST_SLIDING) {
        return sum_two_a53(taps, from, piece, tables);
    }
    const int8_t *next = (const int8_t *)(tables + 2);
    const four_tables *second = tables_of(taps, next, WEIGHT_BYTES);
    const two_sums sums = {sum_usual(taps, from, piece, tables, slide, width),
                           sum_usual(taps, from, next, second, slide, width)};
    return sums;
}

static inline int is_usual(const dpl_requant *q, const tap_list *taps, const four_tables *tables) {
    (void)taps;
    return q->rule == DPL_Q32 && tables->rounding[0] == 0;
}

/* The first and the second outputs of eight channels; the piece behind theirs. */
INLINED const int8_t *make_two(const usual_outputs *by, const tap_list *taps, int64_t from,
                               const int8_t *piece, int64_t slide, int32_t width,
                               block_vectors *made) {
    const four_tables *tables = tables_of(taps, piece, WEIGHT_BYTES);
    const two_sums sums = sum_both(taps, from, piece, tables, slide, width);
    const four_tables *second = tables_of(taps, (const int8_t *)(tables + 2), WEIGHT_BYTES);
    made[0] = outputs_by(by, tables, sums.first);
    made[1] = outputs_by(by, second, sums.second);
    return (const int8_t *)(second + 2);
}

static inline void store_vector(int8_t *to, int16x8_t outputs) {
    vst1q_s16((int16_t *)(void *)to, outputs);
}

/* Pixel P of two blocks or four, by turns. */
#define STORE_TURNS(TO, MADE, P, COUNT)                                                            \
    do {                                                                                           \
        const int16x8x2_t two = {{(MADE)[0].P, (MADE)[1].P}};                                      \
        const int16x8x4_t four = {{(MADE)[0].P, (MADE)[1].P, (MADE)[2].P, (MADE)[3].P}};           \
        if ((COUNT) == 2) {                                                                        \
            vst2q_s16((int16_t *)(void *)(TO), two);                                               \
        } else {                                                                                   \
            vst4q_s16((int16_t *)(void *)(TO), four);                                              \
        }                                                                                          \
    } while (0)
#endif

/* Eight channels of a pixel: their first outputs are at `from`, the second ones PIXELS times as
 * many elements behind them. */
static inline void store_in_turn(element *to, const element *from, int32_t multiplier) {
    const int32_t apart = PIXELS * WIDTH;
#ifdef __ARM_NEON
    if (multiplier == 2) {
        const int16x8x2_t both = {{vld1q_s16(from), vld1q_s16(from + apart)}};
        vst2q_s16(to, both);
        return;
    }
    if (multiplier == 4) {
        const int16x8x4_t all = {{vld1q_s16(from), vld1q_s16(from + apart),
                                  vld1q_s16(from + 2 * apart), vld1q_s16(from + 3 * apart)}};
        vst4q_s16(to, all);
        return;
    }
#endif
    for (int32_t j = 0; j < multiplier; j++, to++, from += apart) {
        for (int32_t c = 0; c < WIDTH; c++) {
            to[c * multiplier] = from[c];
        }
    }
}

/* Eight channels of `pixels` pixels, `from` bytes behind `to`. */
INLINED void store_block(const dpl_requant *q, const four_tables *tables, block_sums sums,
                         int8_t *const *to, int32_t from, int32_t pixels) {
    const block_vectors all = outputs_of(q, tables, sums);
    const int16x8_t outputs[] = {all.p0, all.p1, all.p2, all.p3};
    UNROLLED for (int i = 0; i < PIXELS; i++) {
        if (i < pixels) {
            vst1q_s16((int16_t *)(void *)(to[i] + from), outputs[i]);
        }
    }
}

#endif

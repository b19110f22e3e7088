/* Depthwise convolution of int8. Taps go in pairs: two products of a channel are added in 16 bits,
 * then to sums of 32. */
#ifndef DPL_NEON_DEPTHWISE_S8_H
#define DPL_NEON_DEPTHWISE_S8_H

#include "dpl/neon/depthwise_taps.h"
#include "dpl/neon/outputs_s8.h"

#define ELEMENT_BYTES 1
#define WEIGHT_BYTES 1
#define TAP_STEP 2
typedef int8_t element;

static inline eight_sums with_products(eight_sums sums, int16x8_t products) {
    const eight_sums more = {vaddw_s16(sums.low, vget_low_s16(products)),
                             vaddw_s16(sums.high, vget_high_s16(products))};
    return more;
}

static inline eight_sums with_pair(eight_sums sums, int8x8_t a, int8x8_t x, int8x8_t b,
                                   int8x8_t y) {
    return with_products(sums, vmlal_s8(vmull_s8(a, x), b, y));
}

/* Of pairs whose products may not fit 16 bits in sum. */
static inline eight_sums with_each(eight_sums sums, int8x8_t a, int8x8_t x, int8x8_t b,
                                   int8x8_t y) {
    return with_products(with_products(sums, vmull_s8(a, x)), vmull_s8(b, y));
}

SUM_TAPS(sum_each, int8x8_t, vld1_s8, with_each)
#ifdef __aarch64__
#include "dpl/neon/depthwise_q32_a64.h"
#include "dpl/neon/depthwise_row_s8_a64.h"
#include "dpl/neon/depthwise_s8_a64.h"
#define sum_pairs sum_pairs_a53
#else
SUM_TAPS(sum_pairs, int8x8_t, vld1_s8, with_pair)
#endif

INLINED block_sums sum_taps(const tap_list *taps, int32_t from, const int8_t *piece,
                            const four_tables *tables) {
    if (taps->pairs_fit) {
        return sum_pairs(taps, from, piece, tables);
    }
    return sum_each(taps, from, piece, tables);
}

/* Two pixels a vector. */
typedef struct {
    int8x16_t first, last;
} block_outputs;

#ifdef __aarch64__
INLINED narrow_vectors outputs_q32(const dpl_requant *q, const four_tables *tables,
                                   block_sums sums) {
    return outputs_q32_a53(tables, vdupq_n_s16((int16_t)tables->rounding[0]),
                           vdup_n_s8((int8_t)q->low), vdup_n_s8((int8_t)q->high), sums);
}
#endif

INLINED block_outputs outputs_of(const dpl_requant *q, const four_tables *tables, block_sums sums) {
#ifdef __aarch64__
    if (q->rule == DPL_Q32) {
        const narrow_vectors all = outputs_q32(q, tables, sums);
        const block_outputs two = {vcombine_s8(all.p0, all.p1), vcombine_s8(all.p2, all.p3)};
        return two;
    }
#endif
    sums = scaled_by(q->rule, tables, sums);
    const int32x4_t first[] = {sums.p0.low, sums.p0.high, sums.p1.low, sums.p1.high};
    const int32x4_t last[] = {sums.p2.low, sums.p2.high, sums.p3.low, sums.p3.high};
    const block_outputs outputs = {limited(first, q), limited(last, q)};
    return outputs;
}

#ifdef __aarch64__
/* What most blocks are requantized by. */
#define USUAL_RULE DPL_Q32
#define LEAST_IN_ROW 2 /* taps of a kernel of one row, whose pixels are loaded once */

/* `slide`: bytes from a pixel to the next where a single row of `width` taps are neighbours, else
 * 0. */
INLINED block_sums sum_usual(const tap_list *taps, int64_t from, const int8_t *piece,
                             const four_tables *tables, int64_t slide, int32_t width) {
    if (slide == 0) {
        return sum_pairs_a53(taps, from, piece, tables);
    }
    return sum_row_a53(taps->at[0] + from, piece, tables, width, slide);
}
#define store_vector vst1_s8

typedef narrow_vectors block_vectors;

/* The zero point, which all channels have in common, and the limits. */
typedef struct {
    int16x8_t zero;
    int8x8_t lowest, highest;
} usual_outputs;

static inline int is_usual(const dpl_requant *q, const tap_list *taps, const four_tables *tables) {
    (void)tables;
    return q->rule == DPL_Q32 && taps->pairs_fit;
}

INLINED usual_outputs usual_of(const dpl_requant *q, const four_tables *tables) {
    const usual_outputs by = {vdupq_n_s16((int16_t)tables->rounding[0]), vdup_n_s8((int8_t)q->low),
                              vdup_n_s8((int8_t)q->high)};
    return by;
}

INLINED block_vectors outputs_by(const usual_outputs *by, const four_tables *tables,
                                 block_sums sums) {
    return outputs_q32_a53(tables, by->zero, by->lowest, by->highest, sums);
}

/* The first and the second outputs of eight channels, one after the other; the piece behind theirs.
 */
INLINED const int8_t *make_two(const usual_outputs *by, const tap_list *taps, int64_t from,
                               const int8_t *piece, int64_t slide, int32_t width,
                               block_vectors *made) {
    (void)slide, (void)width;
    UNROLLED for (int j = 0; j < 2; j++) {
        const four_tables *tables = tables_of(taps, piece, WEIGHT_BYTES);
        const block_sums sums = sum_pairs_a53(taps, from, piece, tables);
        made[j] = outputs_by(by, tables, sums);
        piece = (const int8_t *)(tables + 2);
    }
    return piece;
}

/* Pixel P of two blocks or four, by turns: two are not led by way of memory as what ST2 stores is.
 */
#define STORE_TURNS(TO, MADE, P, COUNT)                                                            \
    do {                                                                                           \
        const int8x8x2_t two = vzip_s8((MADE)[0].P, (MADE)[1].P);                                  \
        const int8x8x4_t four = {{(MADE)[0].P, (MADE)[1].P, (MADE)[2].P, (MADE)[3].P}};            \
        if ((COUNT) == 2) {                                                                        \
            vst1_s8((TO), two.val[0]);                                                             \
            vst1_s8((TO) + 8, two.val[1]);                                                         \
        } else {                                                                                   \
            vst4_s8((TO), four);                                                                   \
        }                                                                                          \
    } while (0)
#endif

/* Eight channels of a pixel: their first outputs are at `from`, the second ones PIXELS times as
 * many elements behind them. */
static inline void store_in_turn(element *to, const element *from, int32_t multiplier) {
    const int32_t apart = PIXELS * WIDTH;
#ifdef __ARM_NEON
    if (multiplier == 2) {
        const int8x8x2_t both = {{vld1_s8(from), vld1_s8(from + apart)}};
        vst2_s8(to, both);
        return;
    }
    if (multiplier == 4) {
        const int8x8x4_t all = {{vld1_s8(from), vld1_s8(from + apart), vld1_s8(from + 2 * apart),
                                 vld1_s8(from + 3 * apart)}};
        vst4_s8(to, all);
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
    const block_outputs both = outputs_of(q, tables, sums);
    const int8x8_t outputs[] = {vget_low_s8(both.first), vget_high_s8(both.first),
                                vget_low_s8(both.last), vget_high_s8(both.last)};
    UNROLLED for (int i = 0; i < PIXELS; i++) {
        if (i < pixels) {
            vst1_s8(to[i] + from, outputs[i]);
        }
    }
}

#endif

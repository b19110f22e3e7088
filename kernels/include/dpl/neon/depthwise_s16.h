/* Depthwise convolution of int16 by int8, which is widened off line. */
#ifndef DPL_NEON_DEPTHWISE_S16_H
#define DPL_NEON_DEPTHWISE_S16_H

#include "dpl/neon/depthwise_taps.h"
#include "dpl/neon/outputs_s16.h"

#define ELEMENT_BYTES 2
#define WEIGHT_BYTES 2
typedef int16_t element;

static inline int16x8_t load_eight(const int8_t *from) {
    return vld1q_s16((const int16_t *)(const void *)from);
}

static inline eight_sums with_both(eight_sums sums, int16x8_t a, int16x8_t x, int16x8_t b,
                                   int16x8_t y) {
    sums.low = vmlal_s16(sums.low, vget_low_s16(a), vget_low_s16(x));
    sums.high = vmlal_s16(sums.high, vget_high_s16(a), vget_high_s16(x));
    sums.low = vmlal_s16(sums.low, vget_low_s16(b), vget_low_s16(y));
    sums.high = vmlal_s16(sums.high, vget_high_s16(b), vget_high_s16(y));
    return sums;
}

SUM_TAPS(sum_pairs, int16x8_t, load_eight, with_both)

INLINED block_sums sum_taps(const tap_list *taps, int32_t from, const int8_t *piece,
                            const four_tables *tables) {
    return sum_pairs(taps, from, piece, tables);
}

/* The first `channels` of eight channels of `pixels` pixels, `from` bytes behind `to`. */
INLINED void store_block(const dpl_requant *q, const four_tables *tables, block_sums sums,
                         int8_t *const *to, int32_t from, int32_t pixels, int32_t channels) {
    sums = scaled_by(q->rule, tables, sums);
    const eight_sums each[] = {sums.p0, sums.p1, sums.p2, sums.p3};
    UNROLLED for (int i = 0; i < PIXELS; i++) {
        if (i < pixels) {
            store_pixel((int16_t *)(void *)(to[i] + from), limited(each[i].low, each[i].high, q),
                        channels);
        }
    }
}

#endif

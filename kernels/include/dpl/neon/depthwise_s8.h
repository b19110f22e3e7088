/* Depthwise convolution of int8. Taps go in pairs: two products of a channel are added in 16 bits,
 * then to sums of 32. */
#ifndef DPL_NEON_DEPTHWISE_S8_H
#define DPL_NEON_DEPTHWISE_S8_H

#include "dpl/neon/depthwise_taps.h"
#include "dpl/neon/outputs_s8.h"

#define ELEMENT_BYTES 1
#define WEIGHT_BYTES 1
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
#include "dpl/neon/depthwise_s8_a64.h"
#define sum_pairs sum_pairs_a53
#else
SUM_TAPS(sum_pairs, int8x8_t, vld1_s8, with_pair)
#endif

static inline void sum_taps(const tap_list *taps, int32_t from, const int8_t *piece,
                            const four_tables *tables, eight_sums *sums) {
    (taps->pairs_fit ? sum_pairs : sum_each)(taps, from, piece, tables, sums);
}

/* The first `channels` of eight channels of `pixels` pixels, `from` bytes behind `to`. */
static inline void store_block(const dpl_requant *q, const eight_sums *sums, int8_t *const *to,
                               int32_t from, int32_t pixels, int32_t channels) {
    int8x8_t outputs[PIXELS];
    UNROLLED for (int i = 0; i < PIXELS; i += 2) {
        const int32x4_t two[] = {sums[i].low, sums[i].high, sums[i + 1].low, sums[i + 1].high};
        const int8x16_t both = limited(two, q);
        outputs[i] = vget_low_s8(both);
        outputs[i + 1] = vget_high_s8(both);
    }
    if (pixels == PIXELS && channels == WIDTH) {
        UNROLLED for (int i = 0; i < PIXELS; i++) {
            vst1_s8(to[i] + from, outputs[i]);
        }
        return;
    }
    for (int32_t i = 0; i < pixels; i++) {
        int8_t all[WIDTH];
        vst1_s8(all, outputs[i]);
        copy_run(to[i] + from, all, channels);
    }
}

#endif

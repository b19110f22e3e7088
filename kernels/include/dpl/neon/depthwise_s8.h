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

SUM_TAPS(sum_pairs, PIXELS, int8x8_t, vld1_s8, with_pair)
SUM_TAPS(sum_pairs_of_one, 1, int8x8_t, vld1_s8, with_pair)
SUM_TAPS(sum_each, PIXELS, int8x8_t, vld1_s8, with_each)
SUM_TAPS(sum_each_of_one, 1, int8x8_t, vld1_s8, with_each)

/* Of 1 or PIXELS pixels. */
static inline void sum_taps(const tap_list *taps, int32_t from, int32_t step, const int8_t *piece,
                            eight_sums *sums, int32_t pixels) {
    if (pixels == 1) {
        (taps->pairs_fit ? sum_pairs_of_one : sum_each_of_one)(taps, from, step, piece, sums);
    } else {
        (taps->pairs_fit ? sum_pairs : sum_each)(taps, from, step, piece, sums);
    }
}

static inline void store_channels(int8_t *to, int8x8_t outputs, int32_t channels) {
    int8_t all[WIDTH];
    if (channels == WIDTH) {
        vst1_s8(to, outputs);
        return;
    }
    vst1_s8(all, outputs);
    copy_short(to, all, channels);
}

/* The first `channels` channels of `pixels` pixels; sums of those that are missing are anything. */
static inline void store_eight(const dpl_requant *q, const four_tables *tables,
                               const eight_sums *sums, int8_t *to, int32_t step, int32_t pixels,
                               int32_t channels) {
    int32x4_t low[PIXELS], high[PIXELS];
    scale_eight(q, tables, sums, pixels, low, high);
    for (int i = 0; i < pixels; i += 2, to += 2 * step) {
        const int32x4_t two[] = {low[i], high[i], low[i + 1], high[i + 1]};
        const int8x16_t outputs = limited(two, q);
        store_channels(to, vget_low_s8(outputs), channels);
        if (i + 1 < pixels) {
            store_channels(to + step, vget_high_s8(outputs), channels);
        }
    }
}

#endif

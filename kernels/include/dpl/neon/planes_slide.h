/* Sums of few output channels where taps of a kernel row lie side by side in a plane: their cells
 * are loaded once for all of them. Included behind planes_shape.h. */
#ifndef DPL_NEON_PLANES_SLIDE_H
#define DPL_NEON_PLANES_SLIDE_H

#include "dpl/neon/planes_shape.h"
#include "dpl/neon/planes_sums.h"

#ifdef __aarch64__
#include "dpl/neon/planes_slide_a64.h"
#endif

/* Of a plane, one below the other. */
static inline int32_t rows_of_taps(const convolution *v) {
    return v->values / v->slid_taps;
}

/* Behind the list of values are weights row by row, then the places of rows. */
static inline int16_t *row_weights(const convolution *v) {
    return (int16_t *)(void *)((int8_t *)v->at + values_bytes(v));
}

static inline uint16_t *row_places(const convolution *v) {
    return (uint16_t *)(void *)((int8_t *)row_weights(v) +
                                rows_of_taps(v) * row_bytes(v->slid_taps, v->outputs));
}

/* Places of the first taps of rows: those of one remainder of the stride lie side by side. */
static inline void list_rows(const convolution *v) {
    const int32_t first = v->wide.remainders * v->depth, row = v->wide.taps * v->depth;
    uint16_t *to = row_places(v);
    for (int32_t y = 0; y < v->values; y += row) {
        for (int32_t i = 0; i < first; i++) {
            *to++ = v->at[y + i];
        }
    }
    to[0] = to[1] = 0;
}

/* Four taps of one channel, or two of two, from the first lanes of their weights; those that are
 * missing repeat the last. */
static inline int16x4_t together(const int16_t *from, int32_t step, int32_t taps,
                                 int32_t channels) {
    const int16x4_t a = vld1_s16(from), b = vld1_s16(from + (taps > 1 ? step : 0));
    if (channels == 2) {
        return vreinterpret_s16_s32(
            vtrn_s32(vreinterpret_s32_s16(a), vreinterpret_s32_s16(b)).val[0]);
    }
    const int16x4_t c = vld1_s16(from + (taps > 2 ? 2 * step : 0));
    const int16x4_t d = vld1_s16(from + (taps > 3 ? 3 * step : 0));
    const int16x4_t first = vtrn_s16(a, b).val[0], last = vtrn_s16(c, d).val[0];
    return vreinterpret_s16_s32(
        vtrn_s32(vreinterpret_s32_s16(first), vreinterpret_s32_s16(last)).val[0]);
}

/* The weights of rows, of four lanes of each value. Of a row those of a tap's channels follow one
 * another. */
static inline void order_rows(const convolution *v, const int16_t *weights) {
    const int32_t first = v->wide.remainders * v->depth, row = v->wide.taps * v->depth;
    const int32_t channels = v->outputs, taps = v->slid_taps, most = HALF_CHANNELS / channels;
    int16_t *to = row_weights(v);
    for (int32_t y = 0; y < v->values; y += row) {
        for (int32_t i = 0; i < first; i++) {
            const int16_t *from = weights + (y + i) * HALF_CHANNELS;
            for (int32_t k = 0; k < taps; k += most, to += HALF_CHANNELS) {
                vst1_s16(to, together(from + k * first * HALF_CHANNELS, first * HALF_CHANNELS,
                                      taps - k, channels));
            }
        }
    }
}

#ifndef __aarch64__
INLINED void add_slid(const int8_t *cells, int16_t weight, int32x4_t *low, int32x4_t *high) {
    const int16x8_t x = vld1q_s16((const int16_t *)(const void *)cells);
    *low = vmlal_s16(*low, vget_low_s16(x), vdup_n_s16(weight));
    *high = vmlal_s16(*high, vget_high_s16(x), vdup_n_s16(weight));
}
#endif

/* Of sixteen positions: the sums of the last eight behind those of the first. */
INLINED void sum_slid(const int8_t *cells, const uint16_t *at, int32_t count,
                      const int16_t *weights, const channel_table *tables, int channels,
                      int32_t taps, int32_t apart, int32x4_t *low, int32x4_t *high) {
#ifdef __aarch64__
    sum_slid_a53(cells, at, count, weights, tables, channels, taps, apart, low, high);
#else
    const int32_t step = row_bytes(taps, channels) / (int32_t)sizeof(int16_t);
    for (int c = 0; c < channels; c++) {
        low[c] = high[c] = low[channels + c] = high[channels + c] = vdupq_n_s32(tables[c].bias);
    }
    for (; count > 0; count--, at++, weights += step) {
        for (int32_t k = 0; k < taps; k++) {
            const int8_t *x = cells + *at + 2 * k * apart;
            for (int c = 0; c < channels; c++) {
                const int16_t weight = weights[k * channels + c];
                add_slid(x, weight, low + c, high + c);
                add_slid(x + 2 * PIXELS, weight, low + channels + c, high + channels + c);
            }
        }
    }
#endif
}

#endif

/* Depthwise convolution of floats. */
#ifndef DPL_NEON_DEPTHWISE_F32_H
#define DPL_NEON_DEPTHWISE_F32_H

#include "dpl/neon/floats.h"
#include "dpl/neon/tap_list.h"

#define ELEMENT_BYTES 4
#define WEIGHT_BYTES 4
#define TAP_STEP 1
typedef float element;
typedef float_bounds output_rule;

/* Of four channels, behind the weights of eight. */
typedef struct {
    float bias[4];
} four_tables;

/* Of eight channels. */
typedef struct {
    float32x4_t low, high;
} eight_sums;

typedef struct {
    eight_sums of[PIXELS];
} block_sums;

static inline const four_tables *tables_of(const tap_list *taps, const int8_t *piece,
                                           int32_t weight_bytes) {
    return (const four_tables *)(const void *)(piece + taps->count * WIDTH * weight_bytes);
}

INLINED float32x4_t four_at(const int8_t *from) {
    return vld1q_f32((const float *)(const void *)from);
}

/* Eight channels, `from` bytes behind the taps, of a block. A tap is eight products, each beside
 * half of a load of 16 bytes, two loads of weights, and four of pointers beside products. */
INLINED block_sums sum_taps(const tap_list *taps, int32_t from, const int8_t *piece,
                            const four_tables *tables) {
    const int8_t *const *at = taps->at;
    block_sums sums;
    UNROLLED for (int i = 0; i < PIXELS; i++) {
        sums.of[i].low = vld1q_f32(tables[0].bias);
        sums.of[i].high = vld1q_f32(tables[1].bias);
    }
    for (int32_t t = taps->count; t > 0; t--, at += PIXELS, piece += WIDTH * WEIGHT_BYTES) {
        const float32x4_t low = four_at(piece), high = four_at(piece + 4 * WEIGHT_BYTES);
        UNROLLED for (int i = 0; i < PIXELS; i++) {
            const int8_t *x = at[i] + from;
            sums.of[i].low = vfmaq_f32(sums.of[i].low, four_at(x), low);
            sums.of[i].high = vfmaq_f32(sums.of[i].high, four_at(x + 4 * ELEMENT_BYTES), high);
        }
    }
    return sums;
}

/* Eight channels of a pixel: their first outputs are at `from`, the second ones PIXELS times as
 * many elements behind them. */
static inline void store_in_turn(element *to, const element *from, int32_t multiplier) {
    const int32_t apart = PIXELS * WIDTH;
#ifdef __ARM_NEON
    if (multiplier == 2) {
        for (int32_t c = 0; c < WIDTH; c += 4) {
            const float32x4x2_t both = {{vld1q_f32(from + c), vld1q_f32(from + apart + c)}};
            vst2q_f32(to + 2 * c, both);
        }
        return;
    }
    if (multiplier == 4) {
        for (int32_t c = 0; c < WIDTH; c += 4) {
            const float32x4x4_t all = {{vld1q_f32(from + c), vld1q_f32(from + apart + c),
                                        vld1q_f32(from + 2 * apart + c),
                                        vld1q_f32(from + 3 * apart + c)}};
            vst4q_f32(to + 4 * c, all);
        }
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
INLINED void store_block(const float_bounds *bounds, const four_tables *tables, block_sums sums,
                         int8_t *const *to, int32_t from, int32_t pixels) {
    (void)tables;
    UNROLLED for (int i = 0; i < PIXELS; i++) {
        if (i < pixels) {
            float *out = (float *)(void *)(to[i] + from);
            vst1q_f32(out, within(sums.of[i].low, bounds));
            vst1q_f32(out + 4, within(sums.of[i].high, bounds));
        }
    }
}

#endif

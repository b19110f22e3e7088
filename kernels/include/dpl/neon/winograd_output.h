/* From the sums of a block to outputs. */
#ifndef DPL_NEON_WINOGRAD_OUTPUT_H
#define DPL_NEON_WINOGRAD_OUTPUT_H

#include "dpl/neon/copies.h"
#include "dpl/neon/winograd.h"

enum { OUTPUTS = 4 /* of a tile, row after row */ };

/* Where a tile's outputs lie: bytes from its first pixel to the one on its right and the one below,
 * 0 where there is none. The first is written last. */
typedef struct {
    int8_t *at;
    int32_t right, down;
} tile_out;

#ifdef __aarch64__
#include "dpl/neon/winograd_output_a64.h"
#endif

/* Four channels of a tile, whose sums are SUMS apart and four times those of the convolution. */
INLINED void transform_four(const int32_t *sums, int32x4_t *outputs) {
    int32x4_t top[SIDE], bottom[SIDE];
    UNROLLED for (int i = 0; i < SIDE; i++, sums += SUMS) {
        const int32x4_t b = vld1q_s32(sums + SIDE * SUMS), c = vld1q_s32(sums + 2 * SIDE * SUMS);
        top[i] = vaddq_s32(vaddq_s32(vld1q_s32(sums), b), c);
        bottom[i] = vsubq_s32(vsubq_s32(b, c), vld1q_s32(sums + 3 * SIDE * SUMS));
    }
    outputs[0] = vaddq_s32(vaddq_s32(top[0], top[1]), top[2]);
    outputs[1] = vsubq_s32(vsubq_s32(top[1], top[2]), top[3]);
    outputs[2] = vaddq_s32(vaddq_s32(bottom[0], bottom[1]), bottom[2]);
    outputs[3] = vsubq_s32(vsubq_s32(bottom[1], bottom[2]), bottom[3]);
    UNROLLED for (int i = 0; i < OUTPUTS; i++) {
        outputs[i] = vshrq_n_s32(outputs[i], 2);
    }
}

/* Eight channels: the outputs of the first four, then of the last. */
INLINED void transform_sums(const int32_t *sums, int32x4_t *outputs) {
#ifdef __aarch64__
    transform_sums_a53(sums, outputs);
#else
    transform_four(sums, outputs);
    transform_four(sums + CHANNELS / 2, outputs + OUTPUTS);
#endif
}

/* Two pixels of eight channels. */
INLINED int8x16_t limited(const int32x4_t *low, const int32x4_t *high, const dpl_requant *q) {
    const int16x8_t first = vcombine_s16(vqmovn_s32(low[0]), vqmovn_s32(high[0]));
    const int16x8_t last = vcombine_s16(vqmovn_s32(low[1]), vqmovn_s32(high[1]));
    const int8x16_t both = vcombine_s8(vqmovn_s16(first), vqmovn_s16(last));
    return vminq_s8(vmaxq_s8(both, vdupq_n_s8((int8_t)q->low)), vdupq_n_s8((int8_t)q->high));
}

static inline void store_few(const tile_out *out, int8x16_t top, int8x16_t bottom,
                             int32_t channels) {
    int8_t pixels[OUTPUTS * CHANNELS];
    vst1q_s8(pixels, top);
    vst1q_s8(pixels + 2 * CHANNELS, bottom);
    copy_short(out->at + out->down + out->right, pixels + 3 * CHANNELS, channels);
    copy_short(out->at + out->down, pixels + 2 * CHANNELS, channels);
    copy_short(out->at + out->right, pixels + CHANNELS, channels);
    copy_short(out->at, pixels, channels);
}

INLINED void store_tile(const tile_out *out, int8x16_t top, int8x16_t bottom, int32_t channels) {
    if (channels < CHANNELS) {
        store_few(out, top, bottom, channels);
        return;
    }
    vst1_s8(out->at + out->down + out->right, vget_high_s8(bottom));
    vst1_s8(out->at + out->down, vget_low_s8(bottom));
    vst1_s8(out->at + out->right, vget_high_s8(top));
    vst1_s8(out->at, vget_low_s8(top));
}

/* `high`, a constant: takes_high_words of both tables. */
INLINED void put_by(dpl_rule rule, int high, const int32_t *sums, const four_tables *by,
                    const dpl_requant *q, const tile_out *out, int32_t tiles, int32_t first,
                    int32_t channels) {
    for (int32_t i = 0; i < tiles; i++, sums += CHANNELS) {
        int32x4_t low[2 * OUTPUTS], *const last = low + OUTPUTS;
        tile_out to = out[i];
        transform_sums(sums, low);
        add_bias(by, low, OUTPUTS);
        add_bias(by + 1, last, OUTPUTS);
        scale_biased(rule, by, high, low, OUTPUTS);
        scale_biased(rule, by + 1, high, last, OUTPUTS);
        to.at += first;
        store_tile(&to, limited(low, last, q), limited(low + 2, last + 2, q), channels);
    }
}

/* `tiles` of a block; a piece's channels from `first` on, of which `channels` are there. */
static inline void put_block(const int32_t *sums, const four_tables *by, const dpl_requant *q,
                             const tile_out *out, int32_t tiles, int32_t first, int32_t channels) {
    if (takes_high_words(q->rule, by) && takes_high_words(q->rule, by + 1)) {
        put_by(DPL_Q31, 1, sums, by, q, out, tiles, first, channels);
        return;
    }
    switch (q->rule) {
    case DPL_SHIFT: put_by(DPL_SHIFT, 0, sums, by, q, out, tiles, first, channels); break;
    case DPL_I32: put_by(DPL_I32, 0, sums, by, q, out, tiles, first, channels); break;
    case DPL_Q16: put_by(DPL_Q16, 0, sums, by, q, out, tiles, first, channels); break;
    case DPL_Q32: put_by(DPL_Q32, 0, sums, by, q, out, tiles, first, channels); break;
    default: put_by(DPL_Q31, 0, sums, by, q, out, tiles, first, channels); break;
    }
}

#endif

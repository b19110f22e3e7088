/* LayerNorm, int8: eight channels at a time. */
#include "dpl/neon/norm.h"

#define KERNEL dpl_layer_norm_s8__armv8a

enum { SIXTEEN = 16 };

static inline int32_t sum_of_four(int32x4_t x) {
    int32_t lane[4];
    vst1q_s32(lane, x);
    return lane[0] + lane[1] + lane[2] + lane[3];
}

/* Adds count numbers, of which the squares of 65,536 fit 32 bits. Sixteen a turn: two of their
 * squares do not fit 16 bits, so that pairs are added to 32; ten cycles, six of SADALP. */
static inline void add_moments(moments *m, const int8_t *x, int32_t count) {
    int32x4_t totals = vdupq_n_s32(0), squares = totals;
    int32_t total = m->total, rest = 0, i = 0;
    for (; i + SIXTEEN <= count; i += SIXTEEN) {
        const int8x16_t both = vld1q_s8(x + i);
        const int8x8_t low = vget_low_s8(both), high = vget_high_s8(both);
        totals = vpadalq_s16(totals, vaddl_s8(low, high));
        squares = vpadalq_s16(squares, vmull_s8(low, low));
        squares = vpadalq_s16(squares, vmull_s8(high, high));
    }
    for (; i < count; i++) {
        total += x[i];
        rest += x[i] * x[i];
    }
    m->total = total + sum_of_four(totals);
    m->squares += (uint32_t)(sum_of_four(squares) + rest);
}

/* All channels of a pixel are normalized by one entry. */
INLINED channel_factors factors_of_pixel(const normalizer *n) {
    const int32_t up = shift_up(n);
    const channel_factors f = {.count = vdupq_n_s32((int32_t)((uint32_t)n->count << up)),
                               .total = vdupq_n_s32((int32_t)((uint32_t)n->total << up)),
                               .multiplier = vdupq_n_s32(n->over.multiplier),
                               .shift = vdupq_n_s32(31 - up - n->over.shift),
                               .offset = vdupq_n_s32(0),
                               .scale = vdup_n_s16(0)};
    return f;
}

INLINED int16x8_t eight_of(dpl_rule rule, const output_factors *o, const channel_factors *f,
                           int16x8_t x, const int16_t *scale, const int32_t *offset) {
    channel_factors low = *f, high = *f;
    low.offset = vld1q_s32(offset);
    high.offset = vld1q_s32(offset + EIGHT / 2);
    low.scale = vld1_s16(scale);
    high.scale = vld1_s16(scale + EIGHT / 2);
    return eight_outputs(rule, o, &low, &high, x);
}

/* Fewer than eight. A plain copy of so many would become a call of memcpy. */
INLINED void normalize_few(dpl_rule rule, const output_factors *o, const channel_factors *f,
                           const int16_t *scale, const int32_t *offset, int32_t count,
                           const int8_t *x, int8_t *out) {
    int16_t scales[EIGHT];
    int32_t offsets[EIGHT];
    for (int32_t i = 0; i < EIGHT; i++) {
        scales[i] = i < count ? scale[i] : 0;
        offsets[i] = i < count ? offset[i] : 0;
    }
    store_few_s8(out, eight_of(rule, o, f, load_few_s8(x, count), scales, offsets), count);
}

/* The last eight overlap those before, and are read before anything is written, since the output
 * may take the input's place. */
INLINED void normalize_by(dpl_rule rule, const dpl_norm_s8_args *a, const normalizer *n,
                          int32_t count, const int8_t *x, int8_t *out) {
    const output_factors o = output_factors_of(&a->requant);
    const channel_factors f = factors_of_pixel(n);
    const int16_t *scale = a->scale;
    const int32_t *offset = a->offset;
    const int32_t last = count - EIGHT;
    if (last < 0) {
        normalize_few(rule, &o, &f, scale, offset, count, x, out);
        return;
    }
    const int16x8_t end = load_eight_s8(x + last);
    for (int32_t c = 0; c < last; c += EIGHT) {
        store_eight_s8(out + c,
                       eight_of(rule, &o, &f, load_eight_s8(x + c), scale + c, offset + c));
    }
    store_eight_s8(out + last, eight_of(rule, &o, &f, end, scale + last, offset + last));
}

/* The channels of a pixel; `first` is 0. */
static inline void normalize(const dpl_norm_s8_args *a, const normalizer *n, int32_t first,
                             int32_t count, const int8_t *x, int8_t *out) {
    (void)first;
    switch (a->requant.rule) {
    case DPL_SHIFT: normalize_by(DPL_SHIFT, a, n, count, x, out); break;
    case DPL_I32: normalize_by(DPL_I32, a, n, count, x, out); break;
    case DPL_Q16: normalize_by(DPL_Q16, a, n, count, x, out); break;
    case DPL_Q32: normalize_by(DPL_Q32, a, n, count, x, out); break;
    default: normalize_by(DPL_Q31, a, n, count, x, out); break;
    }
}

#include "dpl/body/layer_norm.h"

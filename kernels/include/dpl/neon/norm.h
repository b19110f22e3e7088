/* From numbers to normalized outputs, int8, eight channels at a time. */
#include "dpl/body/norm.h"
#include "dpl/neon/eight.h"
#include "dpl/neon/rules.h"

/* What outputs are made by: one entry for the tensor. */
typedef struct {
    factors by;
    limits within;
} output_factors;

INLINED output_factors output_factors_of(const dpl_requant *q) {
    const output_factors f = {factors_of(q, 0), limits_of(q->low, q->high)};
    return f;
}

/* What four channels are normalized by. (d * multiplier + half) >> shift is twice the high word of
 * the product, rounded down, then shifted on and rounded: from a shift of 32 on; below it d is
 * shifted up before, which fits, as d is at most a few times the root it is divided by. */
typedef struct {
    int32x4_t count, total, multiplier, shift, offset;
    int16x4_t scale;
} channel_factors;

enum { CHANNEL_FACTORS = 5 }; /* of 32 bits */

static inline int32_t shift_up(const normalizer *n) {
    return n->over.shift < 32 ? 32 - n->over.shift : 0;
}

/* Four lanes of each of the factors, which have eight. */
INLINED channel_factors factors_at(const int32_t *lane, const int16_t *scale) {
    const channel_factors f = {vld1q_s32(lane),
                               vld1q_s32(lane + EIGHT),
                               vld1q_s32(lane + 2 * EIGHT),
                               vld1q_s32(lane + 3 * EIGHT),
                               vld1q_s32(lane + 4 * EIGHT),
                               vld1_s16(scale)};
    return f;
}

/* The sums of four channels: modulo 2^32 the difference is right wherever it begins. */
INLINED int32x4_t four_sums(const channel_factors *f, int16x4_t x) {
    const int32x4_t d = vsubq_s32(vmulq_s32(vmovl_s16(x), f->count), f->total);
    const int32x4_t normal = vrshlq_s32(doubled_high_words(d, f->multiplier), f->shift);
    return vmlal_s16(f->offset, vqmovn_s32(normal), f->scale);
}

INLINED int16x8_t eight_outputs(dpl_rule rule, const output_factors *o, const channel_factors *low,
                                const channel_factors *high, int16x8_t x) {
    const int32x4_t first = four_sums(low, vget_low_s16(x));
    const int32x4_t last = four_sums(high, vget_high_s16(x));
    return narrowed(scaled(rule, &o->by, first), scaled(rule, &o->by, last), &o->within);
}

/* From sums of pools to outputs, by the rules that divide and those of every layer. */
#ifndef DPL_NEON_MEANS_H
#define DPL_NEON_MEANS_H

#include "dpl/neon/eight.h"
#include "dpl/neon/rules.h"

/* What the sums of so many taps become outputs by. */
typedef struct {
    factors by;
    float32x4_t inverse;
    int32x4_t count, half;
} divisor;

static inline divisor divisor_of(const dpl_requant *q, int32_t taps) {
    const int32_t entry = (taps - 1) * q->channel_step;
    if (q->rule != DPL_MEAN && q->rule != DPL_MEAN_EVEN) {
        const divisor d = {.by = factors_of(q, entry)};
        return d;
    }
    const int32_t count = q->multiplier[entry];
    const divisor d = {
        .by = {.rounding = vdupq_n_s32(q->rule == DPL_MEAN ? 0 : q->rounding[entry])},
        .inverse = vdupq_n_f32(1.0f / (float)count),
        .count = vdupq_n_s32(count),
        .half = vdupq_n_s32(count / 2),
    };
    return d;
}

/* The quotient towards less. The one in float32 is less than a hundredth off, since it has 16 bits:
 * towards zero it is at most one too small or two too large. */
INLINED int32x4_t quotient(const divisor *d, int32x4_t x) {
    int32x4_t found = vcvtq_s32_f32(vmulq_f32(vcvtq_f32_s32(x), d->inverse));
    int32x4_t rest = vmlsq_s32(x, found, d->count);
    UNROLLED for (int i = 0; i < 2; i++) {
        const int32x4_t less = vreinterpretq_s32_u32(vcltq_s32(rest, vdupq_n_s32(0)));
        found = vaddq_s32(found, less);
        rest = vaddq_s32(rest, vandq_s32(less, d->count));
    }
    return vsubq_s32(found, vreinterpretq_s32_u32(vcgeq_s32(rest, d->count)));
}

/* Halves away from zero. */
INLINED int32x4_t mean(const divisor *d, int32x4_t sum) {
    const uint32x4_t below = vcltq_s32(sum, vdupq_n_s32(0));
    const int32x4_t found = quotient(d, vaddq_s32(vabsq_s32(sum), d->half));
    return vbslq_s32(below, vsubq_s32(vdupq_n_s32(0), found), found);
}

/* Halves to an even number of steps from the zero point. */
INLINED int32x4_t mean_even(const divisor *d, int32x4_t sum) {
    const int32x4_t zero = d->by.rounding, centred = vmlsq_s32(sum, d->count, zero);
    const int32x4_t down = quotient(d, centred);
    const int32x4_t rest = vmlsq_s32(centred, down, d->count);
    const int32x4_t twice = vaddq_s32(vaddq_s32(rest, rest), vandq_s32(down, vdupq_n_s32(1)));
    const int32x4_t more = vreinterpretq_s32_u32(vcltq_s32(d->count, twice));
    return vsubq_s32(vaddq_s32(zero, down), more);
}

/* Sums in place, TOGETHER vectors of four at a time: what one of them waits for hides behind the
 * others. */
enum { TOGETHER = 4 };

#define EACH_SUM(VALUE)                                                                            \
    for (; count > 0; count -= TOGETHER, sums += TOGETHER) {                                       \
        int32x4_t found[TOGETHER];                                                                 \
        UNROLLED for (int i = 0; i < TOGETHER; i++) {                                              \
            found[i] = VALUE;                                                                      \
        }                                                                                          \
        UNROLLED for (int i = 0; i < TOGETHER; i++) {                                              \
            sums[i] = found[i];                                                                    \
        }                                                                                          \
    }                                                                                              \
    break

/* `count` vectors, a multiple of TOGETHER. */
static inline void divide_sums(dpl_rule rule, const divisor *d, int32x4_t *sums, int32_t count) {
    switch (rule) {
    case DPL_MEAN: EACH_SUM(mean(d, sums[i]));
    case DPL_MEAN_EVEN: EACH_SUM(mean_even(d, sums[i]));
    case DPL_SHIFT: EACH_SUM(scaled(DPL_SHIFT, &d->by, sums[i]));
    case DPL_I32: EACH_SUM(scaled(DPL_I32, &d->by, sums[i]));
    case DPL_Q16: EACH_SUM(scaled(DPL_Q16, &d->by, sums[i]));
    case DPL_Q32: EACH_SUM(scaled(DPL_Q32, &d->by, sums[i]));
    default: EACH_SUM(scaled(DPL_Q31, &d->by, sums[i]));
    }
}

#endif

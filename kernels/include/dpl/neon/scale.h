/* From sums of four channels to outputs before they are limited. */
#ifndef DPL_NEON_SCALE_H
#define DPL_NEON_SCALE_H

#include "dpl/neon/rules.h"

/* Of four channels. */
typedef struct {
    int32_t bias[4], multiplier[4], rounding[4];
    int32_t shift[4]; /* negative: to the right */
} four_tables;

/* The outputs of `count` pixels, a constant, before they are limited to their type. */
INLINED void scale_by(dpl_rule rule, const four_tables *by, int32x4_t *sums, int count) {
    const int32x4_t bias = vld1q_s32(by->bias);
    const factors f = {vld1q_s32(by->multiplier), vld1q_s32(by->rounding), vld1q_s32(by->shift)};
    UNROLLED for (int i = 0; i < count; i++) {
        sums[i] = scaled(rule, &f, vaddq_s32(sums[i], bias));
    }
}

INLINED void scale_sums(dpl_rule rule, const four_tables *by, int32x4_t *sums, int count) {
    switch (rule) {
    case DPL_SHIFT: scale_by(DPL_SHIFT, by, sums, count); break;
    case DPL_I32: scale_by(DPL_I32, by, sums, count); break;
    case DPL_Q16: scale_by(DPL_Q16, by, sums, count); break;
    case DPL_Q32: scale_by(DPL_Q32, by, sums, count); break;
    default: scale_by(DPL_Q31, by, sums, count); break;
    }
}

#endif

/* From sums of four channels to outputs before they are limited. */
#ifndef DPL_NEON_SCALE_H
#define DPL_NEON_SCALE_H

#include "dpl/neon/rules.h"

/* Of four channels. */
typedef struct {
    int32_t bias[4], multiplier[4], rounding[4];
    int32_t shift[4]; /* negative: to the right */
} four_tables;

/* The outputs of `count` pixels before they are limited to their type. */
static inline void scale_sums(dpl_rule rule, const four_tables *by, int32x4_t *sums,
                              int32_t count) {
    const int32x4_t bias = vld1q_s32(by->bias);
    const factors f = {vld1q_s32(by->multiplier), vld1q_s32(by->rounding), vld1q_s32(by->shift)};
    for (int32_t i = 0; i < count; i++) {
        sums[i] = scaled(rule, &f, vaddq_s32(sums[i], bias));
    }
}

#endif

/* Convolution of int8 with many channels and few outputs a group. */
#ifndef DPL_NEON_DEEP_S8_H
#define DPL_NEON_DEEP_S8_H

#include "dpl/neon/plane_elements_s8.h"

#ifdef __aarch64__
#include "dpl/neon/deep_s8_a64.h"
#endif

typedef int8x16_t deep_zero;

static inline deep_zero deep_zero_of(int32_t zero) {
    return vdupq_n_s8((int8_t)zero);
}

/* Eight values less the zero point. */
static inline int16x8_t above_zero(const int8_t *from, deep_zero zero) {
    return vsubl_s8(vld1_s8(from), vget_low_s8(zero));
}

/* All values of a tap by `outputs` outputs, where that is in assembly; returns how many bytes these
 * are. */
INLINED int64_t add_values(const int8_t *const *from, int64_t bytes, deep_zero zero,
                           const int16_t *weights, int outputs, int32x4_t *lanes) {
#ifdef __aarch64__
    int64_t at = bytes - bytes % 16;
    if (outputs != 1) {
        return 0;
    }
    if (at > 0) {
        add_sixteens_a53(from, at / 16, zero, weights, lanes);
    }
    for (; at < bytes; at += 8) {
        add_eight_a53(from, at < bytes - 8 ? at : bytes - 8, zero, weights + at, lanes);
    }
    return bytes;
#else
    (void)from, (void)bytes, (void)zero, (void)weights, (void)outputs, (void)lanes;
    return 0;
#endif
}

#include "dpl/neon/deep.h"

#endif

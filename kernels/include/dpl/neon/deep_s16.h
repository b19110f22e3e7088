/* Convolution of int16 with many channels and few outputs a group. */
#ifndef DPL_NEON_DEEP_S16_H
#define DPL_NEON_DEEP_S16_H

#include "dpl/neon/plane_elements_s16.h"

#ifdef __aarch64__
#include "dpl/neon/deep_s16_a64.h"
#endif

#define STEP_BYTES 16 /* eight values */

typedef int32_t deep_zero; /* 0 */

static inline deep_zero deep_zero_of(int32_t zero) {
    return zero;
}

static inline int16x8_t above_zero(const int8_t *from, deep_zero zero) {
    (void)zero;
    return vld1q_s16((const int16_t *)(const void *)from);
}

/* All values of a tap by `outputs` outputs, where that is in assembly; returns how many bytes these
 * are. */
INLINED int64_t add_values(const int8_t *const *from, int64_t bytes, deep_zero zero,
                           const int16_t *weights, int outputs, int32x4_t *lanes) {
    (void)zero;
#ifdef __aarch64__
    const int64_t last = bytes - STEP_BYTES, steps = (bytes + STEP_BYTES - 1) / STEP_BYTES;
    if (outputs == 1) {
        add_to_one_a53(from, last, steps, weights, lanes);
        return bytes;
    }
    UNROLLED for (int i = 0; i < 8; i += 4) {
        add_to_two_a53(from + i, last, steps, weights, lanes + i, lanes + 8 + i);
    }
    return bytes;
#else
    (void)from, (void)bytes, (void)weights, (void)outputs, (void)lanes;
    return 0;
#endif
}

#include "dpl/neon/deep.h"

#endif

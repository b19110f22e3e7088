/* Real numbers to the integers of an activation and back, in single precision, as
 * deployer/numerics/interpret.py does: quotients are rounded half to even and saturate. Not a
 * number becomes `low`. Neither libm nor the rounding mode is used; -ffast-math changes the
 * quotient. */
#ifndef DPL_QUANTIZE_H
#define DPL_QUANTIZE_H

#include <stdint.h>

/* The whole number nearest to x, whose magnitude is below 2^31; the even one of two. */
static inline int32_t dpl_nearest_even(float x) {
    const int32_t whole = (int32_t)x;
    const float rest = x - (float)whole;
    const int32_t odd = whole & 1;
    if (rest > 0.5f || (rest == 0.5f && odd)) {
        return whole + 1;
    }
    return rest < -0.5f || (rest == -0.5f && odd) ? whole - 1 : whole;
}

static inline int32_t dpl_quantize(float real, float scale, int32_t zero, int32_t low,
                                   int32_t high) {
    const float steps = real / scale;
    if (!(steps > (float)(low - zero))) {
        return low;
    }
    return steps < (float)(high - zero) ? dpl_nearest_even(steps) + zero : high;
}

static inline float dpl_dequantize(int32_t integer, float scale, int32_t zero) {
    return (float)(integer - zero) * scale;
}

#endif

/* Powers of e without a library: a kernel must need none. */
#ifndef DPL_BODY_EXPONENTIAL_H
#define DPL_BODY_EXPONENTIAL_H

#include <stdint.h>

/* 2^n for n from -126 to 127: the exponent of a float alone. */
static inline float power_of_two(int32_t n) {
    const union {
        uint32_t bits;
        float real;
    } power = {.bits = (uint32_t)(n + 127) << 23};
    return power.real;
}

/* e^x = 2^n e^r, |r| <= ln(2) / 2, where eight terms of the series leave 5e-9 of e^r. ln(2) is
 * taken off in two parts, the first of which has so few bits that its product with n is exact.
 * Below -87.3 the result is 0, and above 88.7 infinite as a float is; NaN stays. */
static inline float exponential(float x) {
    if (x < -87.3f) {
        return 0.0f;
    }
    if (x > 88.72f) {
        return __builtin_inff();
    }
    if (x != x) {
        return x;
    }
    const float steps = x * 1.44269504f;
    const int32_t n = (int32_t)(steps + (steps < 0 ? -0.5f : 0.5f));
    const float r = (x - (float)n * 0.693359375f) - (float)n * -2.12194440e-4f;
    float sum = 1.0f / 5040;
    sum = sum * r + 1.0f / 720;
    sum = sum * r + 1.0f / 120;
    sum = sum * r + 1.0f / 24;
    sum = sum * r + 1.0f / 6;
    sum = sum * r + 0.5f;
    sum = sum * r + 1.0f;
    sum = sum * r + 1.0f;
    /* in two factors: 2^128 is no float */
    return sum * power_of_two(n / 2) * power_of_two(n - n / 2);
}

#endif

/* What `dpl_function` names, of one float, within a few 1e-7 of the result's magnitude or of 1. A
 * float network takes them a few times a layer's output, so that none is tuned. */
#include "dpl/body/exponential.h"
#include "dpl/body/square_root.h"
#include "dpl/function.h"

static inline float between(float x, float low, float high) {
    return x < low ? low : x > high ? high : x;
}

static inline float magnitude(float x) {
    return x < 0 ? -x : x;
}

static float sigmoid(float x) {
    return 1.0f / (1.0f + exponential(-x));
}

static float hyperbolic_tangent(float x) {
    return 1.0f - 2.0f / (exponential(2.0f * x) + 1.0f);
}

/* ln(1 + u) for u in [0, 1]: 2 artanh(u / (2 + u)), whose series ends at t^13 with 1e-8. */
static float logarithm_beyond_one(float u) {
    const float t = u / (2.0f + u), square = t * t;
    float sum = 1.0f / 13;
    sum = sum * square + 1.0f / 11;
    sum = sum * square + 1.0f / 9;
    sum = sum * square + 1.0f / 7;
    sum = sum * square + 1.0f / 5;
    sum = sum * square + 1.0f / 3;
    return 2.0f * t * (sum * square + 1.0f);
}

/* ln(2^n m), m from 0.707 to 1.41, where the series above leaves 1e-8; of numbers up to 0 what it
 * tends to. ln(2) in two parts, the product of the first with n exact. */
static float logarithm(float x) {
    if (!(x > 0)) {
        return x <= 0 ? -__builtin_inff() : x;
    }
    if (x > 3.4028235e38f) {
        return x;
    }
    const int32_t raised =
        x < 1.17549435e-38f ? 23 : 0; /* numbers below have no exponent of theirs */
    union {
        float real;
        uint32_t bits;
    } mantissa = {raised ? x * 8388608.0f : x};
    const int32_t n = ((int32_t)(mantissa.bits - 0x3f3504f3u) >> 23) - raised;
    mantissa.bits -= (uint32_t)(n + raised) << 23;
    const float rest = (float)n * -2.12194440e-4f + logarithm_beyond_one(mantissa.real - 1.0f);
    return (float)n * 0.693359375f + rest;
}

/* Beyond 2^23 every float is whole. */
static float floor_of(float x) {
    if (!(magnitude(x) < 8388608.0f)) {
        return x;
    }
    const float whole = (float)(int32_t)x;
    return whole > x ? whole - 1.0f : whole;
}

/* Half to even: a float beyond 2^23 has no bits below 1. */
static float nearest_whole(float x) {
    const float size = magnitude(x);
    if (!(size < 8388608.0f)) {
        return x;
    }
    const float whole = (size + 8388608.0f) - 8388608.0f;
    return x < 0 ? -whole : whole;
}

/* That of -0 is as that of 0. */
static float reciprocal(float x) {
    return x == 0 ? __builtin_inff() : 1.0f / x;
}

static float whole_power(float x, float exponent) {
    float result = 1.0f, factor = x;
    for (uint32_t n = (uint32_t)magnitude(exponent); n; n >>= 1) {
        result *= n & 1 ? factor : 1.0f;
        factor *= factor;
    }
    return exponent < 0 ? reciprocal(result) : result;
}

/* Whole exponents by squares, exact where the result is; others by the logarithm, of numbers below
 * 0 as of 0. */
static float power(float x, float exponent) {
    if (magnitude(exponent) <= 1024.0f && nearest_whole(exponent) == exponent) {
        return whole_power(x, exponent);
    }
    return exponential(exponent * logarithm(x));
}

static float elu(float x, float alpha, float slope) {
    return x < 0 ? alpha * (exponential(x * slope) - 1.0f) : x;
}

static float softplus(float x) {
    return (x > 0 ? x : 0.0f) + logarithm_beyond_one(exponential(-magnitude(x)));
}

/* Abramowitz and Stegun, 7.1.26: within 1.5e-7. */
static float error_function(float x) {
    const float t = 1.0f / (1.0f + 0.3275911f * magnitude(x));
    float sum = 1.061405429f;
    sum = sum * t - 1.453152027f;
    sum = sum * t + 1.421413741f;
    sum = sum * t - 0.284496736f;
    sum = sum * t + 0.254829592f;
    const float value = 1.0f - sum * t * exponential(-x * x);
    return x < 0 ? -value : value;
}

static float gelu_tanh(float x) {
    const float inner = 0.797884561f * (x + 0.044715f * x * x * x);
    return 0.5f * x * (1.0f + hyperbolic_tangent(inner));
}

static float value_of(dpl_function function, float x, float alpha, float beta) {
    switch (function) {
    case DPL_SIGMOID: return sigmoid(x);
    case DPL_HARD_SIGMOID: return between(alpha * x + beta, 0.0f, 1.0f);
    case DPL_TANH: return hyperbolic_tangent(x);
    case DPL_SWISH: return x * sigmoid(x);
    case DPL_HARD_SWISH: return x * between(x / 6 + 0.5f, 0.0f, 1.0f);
    case DPL_LEAKY_RELU: return x < 0 ? alpha * x : x;
    case DPL_ELU: return elu(x, alpha, 1.0f);
    case DPL_SOFTPLUS: return softplus(x);
    case DPL_MISH: return x * hyperbolic_tangent(softplus(x));
    case DPL_ERF: return error_function(x);
    case DPL_GELU: return 0.5f * x * (1.0f + error_function(x * 0.707106781f));
    case DPL_GELU_TANH: return gelu_tanh(x);
    case DPL_EXP: return exponential(x);
    case DPL_SQRT: return square_root(x);
    case DPL_ABS: return magnitude(x);
    case DPL_LOG: return logarithm(x);
    case DPL_RECIPROCAL: return reciprocal(x);
    case DPL_POWER: return power(x, alpha);
    case DPL_SELU: return beta * elu(x, alpha, 1.0f);
    case DPL_CELU: return elu(x, alpha, 1.0f / alpha);
    case DPL_SOFTSIGN: return x / (1.0f + magnitude(x));
    case DPL_THRESHOLDED_RELU: return x > alpha ? x : 0.0f;
    case DPL_FLOOR: return floor_of(x);
    case DPL_CEIL: return -floor_of(-x);
    case DPL_ROUND: return nearest_whole(x);
    case DPL_SIGN: return x > 0 ? 1.0f : x < 0 ? -1.0f : x;
    default: return between(x, alpha, beta);
    }
}

/* What `dpl_function` names, of one float, within a few 1e-7 of the result's magnitude or of 1. A
 * float network takes them a few times a layer's output, so that none is tuned. */
#include "dpl/body/exponential.h"
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

/* Newton's steps from half the exponent, each of which doubles the digits: the first is within 7 %,
 * the fourth exact. 0 for numbers below it. */
static float square_root(float x) {
    if (!(x > 0)) {
        return x < 0 ? 0.0f : x;
    }
    union {
        float real;
        uint32_t bits;
    } root = {x};
    root.bits = (root.bits >> 1) + 0x1fc00000u;
    for (int i = 0; i < 4; i++) {
        root.real = 0.5f * (root.real + x / root.real);
    }
    return root.real;
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
    case DPL_ELU: return x < 0 ? alpha * (exponential(x) - 1.0f) : x;
    case DPL_SOFTPLUS: return softplus(x);
    case DPL_MISH: return x * hyperbolic_tangent(softplus(x));
    case DPL_ERF: return error_function(x);
    case DPL_GELU: return 0.5f * x * (1.0f + error_function(x * 0.707106781f));
    case DPL_GELU_TANH: return gelu_tanh(x);
    case DPL_EXP: return exponential(x);
    case DPL_SQRT: return square_root(x);
    case DPL_ABS: return magnitude(x);
    default: return between(x, alpha, beta);
    }
}

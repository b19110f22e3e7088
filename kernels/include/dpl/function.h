/* Elementwise functions by name, as deployer/numerics/functions.py defines them. */
#ifndef DPL_FUNCTION_H
#define DPL_FUNCTION_H

typedef enum {
    DPL_SIGMOID,
    DPL_HARD_SIGMOID,
    DPL_TANH,
    DPL_SWISH,
    DPL_HARD_SWISH,
    DPL_LEAKY_RELU,
    DPL_ELU,
    DPL_SOFTPLUS,
    DPL_MISH,
    DPL_ERF,
    DPL_GELU,
    DPL_GELU_TANH,
    DPL_EXP,
    DPL_SQRT,
    DPL_ABS,
    DPL_LOG,
    DPL_RECIPROCAL,
    DPL_POWER,
    DPL_SELU,
    DPL_CELU,
    DPL_SOFTSIGN,
    DPL_THRESHOLDED_RELU,
    DPL_FLOOR,
    DPL_CEIL,
    DPL_ROUND,
    DPL_SIGN,
    DPL_CLIP
} dpl_function;

#endif

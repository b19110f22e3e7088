"""Elementwise functions a Table node may name; on a device each is a table of 256 int8 or 513
int16."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from deployer.ir import COMPOSED, QuantParams, TableAttrs
from deployer.numerics.expressions import evaluate
from deployer.numerics.steps import dequantize, quantize

_STEP_BITS = 7  # from an int16 entry to the next

_Function = Callable[[np.ndarray, float, float], np.ndarray]


def _sigmoid(x: np.ndarray, alpha: float, beta: float) -> np.ndarray:
    return 0.5 * (1 + np.tanh(0.5 * x))  # no overflow at either end


def _hard_sigmoid(x: np.ndarray, alpha: float, beta: float) -> np.ndarray:
    return np.clip(alpha * x + beta, 0, 1)


def _softplus(x: np.ndarray) -> np.ndarray:
    line: np.ndarray = np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))  # no overflow at either end
    return line


def _erf(x: np.ndarray) -> np.ndarray:
    result: np.ndarray = np.vectorize(math.erf, otypes=[np.float64])(x)
    return result


def _log(x: np.ndarray) -> np.ndarray:
    """Up to 0 what it tends to: no bound below."""
    with np.errstate(divide="ignore"):
        result: np.ndarray = np.log(np.maximum(x, 0))
    return result


def _reciprocal(x: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore"):
        return 1 / np.where(x == 0, 0.0, x)  # that of -0 is as that of 0


def _power(x: np.ndarray, exponent: float) -> np.ndarray:
    """Below 0 that of 0 where an exponent is not whole."""
    base = x if float(exponent).is_integer() else np.maximum(x, 0)
    with np.errstate(divide="ignore", over="ignore"):
        result: np.ndarray = np.power(np.where(base == 0, 0.0, base), exponent)
    return result


def _elu(x: np.ndarray, alpha: float, slope: float) -> np.ndarray:
    """``slope`` below 0: that of the exponent."""
    return np.where(x < 0, alpha * np.expm1(np.minimum(x, 0) * slope), x)


FUNCTIONS: Mapping[str, _Function] = MappingProxyType(
    {
        "sigmoid": _sigmoid,
        "hard_sigmoid": _hard_sigmoid,
        "tanh": lambda x, alpha, beta: np.tanh(x),
        "swish": lambda x, alpha, beta: x * _sigmoid(x, 0, 0),
        "hard_swish": lambda x, alpha, beta: x * _hard_sigmoid(x, 1 / 6, 0.5),
        "leaky_relu": lambda x, alpha, beta: np.where(x < 0, alpha * x, x),
        "elu": lambda x, alpha, beta: _elu(x, alpha, 1.0),
        "softplus": lambda x, alpha, beta: _softplus(x),
        "mish": lambda x, alpha, beta: x * np.tanh(_softplus(x)),
        "erf": lambda x, alpha, beta: _erf(x),
        "gelu": lambda x, alpha, beta: 0.5 * x * (1 + _erf(x / math.sqrt(2))),
        "gelu_tanh": lambda x, alpha, beta: (
            0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
        ),
        "exp": lambda x, alpha, beta: np.exp(x),
        "sqrt": lambda x, alpha, beta: np.sqrt(np.maximum(x, 0)),
        "abs": lambda x, alpha, beta: np.abs(x),
        "log": lambda x, alpha, beta: _log(x),
        "reciprocal": lambda x, alpha, beta: _reciprocal(x),
        "power": lambda x, alpha, beta: _power(x, alpha),
        "selu": lambda x, alpha, beta: beta * _elu(x, alpha, 1.0),
        "celu": lambda x, alpha, beta: _elu(x, alpha, 1 / alpha),
        "softsign": lambda x, alpha, beta: x / (1 + np.abs(x)),
        "thresholded_relu": lambda x, alpha, beta: np.where(x > alpha, x, 0),
        "floor": lambda x, alpha, beta: np.floor(x),
        "ceil": lambda x, alpha, beta: np.ceil(x),
        "round": lambda x, alpha, beta: np.rint(x),
        "sign": lambda x, alpha, beta: np.sign(x),
        "clip": lambda x, alpha, beta: np.clip(x, alpha, beta),
    }
)


def composed(attrs: TableAttrs, x: np.ndarray) -> np.ndarray:
    """Its expression over float64 values, not finite where that has no number."""
    return evaluate(attrs.expression, x.astype(np.float64), FUNCTIONS)


def apply(attrs: TableAttrs, x: np.ndarray) -> np.ndarray:
    """The function over float64 values; 0 where an expression has no number."""
    if attrs.function == COMPOSED:
        found: np.ndarray = np.nan_to_num(composed(attrs, x), nan=0.0)
        return found
    return FUNCTIONS[attrs.function](x.astype(np.float64), attrs.alpha, attrs.beta)


def table(attrs: TableAttrs, source: QuantParams, target: QuantParams) -> np.ndarray:
    """The output integers of sampled input integers.

    int8[256]: entry x + 128 is that of x. int16[513]: entry j is that of 128·j - 32768.
    """
    narrow = target.bits == 8
    samples = np.arange(-128, 128) if narrow else np.arange(-32768, 32769, 1 << _STEP_BITS)
    return quantize(apply(attrs, dequantize(samples, source)), target)


def look_up(entries: np.ndarray, x: np.ndarray) -> np.ndarray:
    """A ``table`` applied to integers of its type: int16 lie between two entries."""
    if entries.dtype == np.int8:
        return entries[x.astype(np.int32) + 128]
    place = x.astype(np.int32) + 32768
    entry = place >> _STEP_BITS
    place &= (1 << _STEP_BITS) - 1
    rise = np.diff(entries.astype(np.int32))[entry] * place
    found: np.ndarray = entries[entry] + ((rise + (1 << (_STEP_BITS - 1))) >> _STEP_BITS)
    return found.astype(np.int16)

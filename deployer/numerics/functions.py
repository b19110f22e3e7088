"""Elementwise functions a Table node may name; on a device each is 256 bytes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from deployer.ir.attrs import TableAttrs
from deployer.ir.types import QuantParams

_Function = Callable[[np.ndarray, float, float], np.ndarray]


def _sigmoid(x: np.ndarray, alpha: float, beta: float) -> np.ndarray:
    return 0.5 * (1 + np.tanh(0.5 * x))  # no overflow at either end


def _hard_sigmoid(x: np.ndarray, alpha: float, beta: float) -> np.ndarray:
    return np.clip(alpha * x + beta, 0, 1)


FUNCTIONS: Mapping[str, _Function] = MappingProxyType(
    {
        "sigmoid": _sigmoid,
        "hard_sigmoid": _hard_sigmoid,
        "tanh": lambda x, alpha, beta: np.tanh(x),
        "swish": lambda x, alpha, beta: x * _sigmoid(x, 0, 0),
        "hard_swish": lambda x, alpha, beta: x * _hard_sigmoid(x, 1 / 6, 0.5),
        "leaky_relu": lambda x, alpha, beta: np.where(x < 0, alpha * x, x),
        "elu": lambda x, alpha, beta: np.where(x < 0, alpha * np.expm1(np.minimum(x, 0)), x),
        "exp": lambda x, alpha, beta: np.exp(x),
        "sqrt": lambda x, alpha, beta: np.sqrt(np.maximum(x, 0)),
        "abs": lambda x, alpha, beta: np.abs(x),
    }
)


def apply(attrs: TableAttrs, x: np.ndarray) -> np.ndarray:
    """The function over float64 values."""
    return FUNCTIONS[attrs.function](x.astype(np.float64), attrs.alpha, attrs.beta)


def table(attrs: TableAttrs, source: QuantParams, target: QuantParams) -> np.ndarray:
    """int8[256]: entry x + 128 is the output integer for input integer x, half to even."""
    real = (np.arange(-128, 128) - source.zero_point) * source.tensor_scale
    steps = np.rint(apply(attrs, real) / target.tensor_scale) + target.zero_point
    return np.clip(steps, -128, 127).astype(np.int8)

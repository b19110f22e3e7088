"""Add, AveragePool and Rescale as integers: both schemes use the same forms."""

from __future__ import annotations

import math

import numpy as np

from deployer.ir.attrs import PoolAttrs
from deployer.ir.types import QuantParams
from deployer.numerics.requant import (
    INT32_MAX,
    MAX_SHIFT,
    Multipliers,
    choose,
    rounding_constant,
)
from deployer.quantize.scheme import Tensor

_ADD_BITS = 15
_STEPS = 255


def add_multipliers(left: Tensor, right: Tensor, output: QuantParams) -> Multipliers:
    """Two int16 multipliers on one shift, the larger in [2^14, 2^15) unless the shift is at an end.

    Raises ValueError when the output's scale is too fine for them.
    """
    real = [x.quant.tensor_scale / output.tensor_scale for x in (left, right)]
    shift = min(_ADD_BITS - math.frexp(max(real))[1], MAX_SHIFT)
    multipliers = _rounded(real, shift)
    if max(multipliers) == 1 << _ADD_BITS:
        shift, multipliers = shift - 1, _rounded(real, shift - 1)
    while shift >= 0:
        rounding = rounding_constant(shift, output.zero_point) - sum(
            m * x.quant.zero_point for m, x in zip(multipliers, (left, right), strict=True)
        )
        if 128 * sum(multipliers) + abs(rounding) <= INT32_MAX:
            return _add(real, multipliers, rounding, shift)
        shift, multipliers = shift - 1, _rounded(real, shift - 1)
    raise ValueError(f"inputs {max(real):.3g} times coarser than the output")


def _rounded(real: list[float], shift: int) -> list[int]:
    return [math.floor(math.ldexp(m, shift) + 0.5) for m in real]


def _add(real: list[float], multipliers: list[int], rounding: int, shift: int) -> Multipliers:
    error = sum(
        _STEPS * abs(math.ldexp(m, -shift) - exact)
        for m, exact in zip(multipliers, real, strict=True)
    )
    return Multipliers(
        "i32",
        np.array(multipliers, dtype=np.int32),
        np.array([rounding], dtype=np.int32),
        np.array([shift], dtype=np.uint8),
        error,
    )


def average_multipliers(x: Tensor, output: QuantParams, attrs: PoolAttrs) -> Multipliers:
    """Entry n - 1 serves windows with n taps inside the tensor. ValueError: scale too fine."""
    taps = attrs.window.taps
    inside = np.arange(1, taps + 1)
    count = np.full(taps, taps) if attrs.count_include_pad else inside
    real = x.quant.tensor_scale / output.tensor_scale / count
    bound = inside * max(-x.interval[0], x.interval[1], 1)
    return choose("i32", real, bound, output.zero_point, inside * x.quant.zero_point)


def rescale_multipliers(x: Tensor, output: QuantParams) -> Multipliers:
    """One entry for the tensor. ValueError: the output's scale is too fine."""
    real = np.array([x.quant.tensor_scale / output.tensor_scale])
    bound = np.array([max(-x.interval[0], x.interval[1], 1)])
    return choose("i32", real, bound, output.zero_point, np.array([x.quant.zero_point]))


def identity_multipliers() -> Multipliers:
    """The trivial tables of a MaxPool, whose kernel uses only the bounds."""
    return Multipliers(
        "shift",
        np.ones(1, dtype=np.int32),
        np.zeros(1, dtype=np.int32),
        np.zeros(1, dtype=np.uint8),
        0.0,
    )

"""Multipliers of the operators without weights."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

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
from deployer.quantize.ranges import Interval
from deployer.quantize.scheme import Tensor

_ADD_BITS = 15
_STEPS = 255


def add_multipliers(
    left: Tensor, right: Tensor, output: QuantParams, *, sign: int = 1
) -> Multipliers:
    """Two int16 multipliers on one shift, the larger in [2^14, 2^15) unless the shift is at an end.

    ``sign`` -1 negates the second: a subtraction. Raises ValueError when the output's scale is
    too fine for them.
    """
    real = [x.quant.tensor_scale / output.tensor_scale for x in (left, right)]
    shift = min(_ADD_BITS - math.frexp(max(real))[1], MAX_SHIFT)
    multipliers = _rounded(real, shift)
    if max(multipliers) == 1 << _ADD_BITS:
        shift, multipliers = shift - 1, _rounded(real, shift - 1)
    while shift >= 0:
        first, second = multipliers
        zeros = first * left.quant.zero_point + sign * second * right.quant.zero_point
        rounding = rounding_constant(shift, output.zero_point) - zeros
        if 128 * (first + second) + abs(rounding) <= INT32_MAX:
            return _add(real, multipliers, rounding, shift, sign)
        shift, multipliers = shift - 1, _rounded(real, shift - 1)
    raise ValueError(f"inputs {max(real):.3g} times coarser than the output")


def _rounded(real: list[float], shift: int) -> list[int]:
    return [math.floor(math.ldexp(m, shift) + 0.5) for m in real]


def _add(
    real: list[float], multipliers: list[int], rounding: int, shift: int, sign: int
) -> Multipliers:
    error = sum(
        _STEPS * abs(math.ldexp(m, -shift) - exact)
        for m, exact in zip(multipliers, real, strict=True)
    )
    return Multipliers(
        "i32",
        np.array([multipliers[0], sign * multipliers[1]], dtype=np.int32),
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
    bound = inside * _largest(x.interval)
    return choose("i32", real, bound, output.zero_point, inside * x.quant.zero_point)


def rescale_multipliers(x: Tensor, output: QuantParams) -> Multipliers:
    """One entry for the tensor. ValueError: the output's scale is too fine."""
    real = np.array([x.quant.tensor_scale / output.tensor_scale])
    bound = np.array([_largest(x.interval)])
    return choose("i32", real, bound, output.zero_point, np.array([x.quant.zero_point]))


def mul_multipliers(
    left: Tensor, right: Tensor, output: QuantParams, rules: Sequence[str]
) -> Multipliers:
    """One entry, for the product of the centred inputs. ValueError: the scale is too fine."""
    real = np.array([left.quant.tensor_scale * right.quant.tensor_scale / output.tensor_scale])
    bound = np.array([_largest(left.centred) * _largest(right.centred)])
    return _first(rules, real, bound, output.zero_point)


def prelu_multipliers(x: Tensor, output: QuantParams, slopes: np.ndarray) -> Multipliers:
    """Entry 0 from the zero point up, entry 1 + c below it. ValueError: scale too fine."""
    factors = np.concatenate([[1.0], slopes])
    low, high = x.centred
    bound = np.array([max(high, 1)] + [max(-low, 1)] * len(slopes))
    real = np.abs(factors) * x.quant.tensor_scale / output.tensor_scale
    found = choose("i32", real, bound, output.zero_point)
    signs = np.where(factors < 0, -1, 1).astype(np.int32)
    return replace(found, multiplier=found.multiplier * signs)


def concat_multipliers(
    inputs: Sequence[Tensor], output: QuantParams, rules: Sequence[str]
) -> Multipliers:
    """Entry i brings input i to the output's scale; the identity where it has it already.

    ValueError: the output's scale is too fine for an input.
    """
    real = np.array([x.quant.tensor_scale / output.tensor_scale for x in inputs])
    bound = np.array([_largest(x.interval) for x in inputs])
    zeros = np.array([x.quant.zero_point for x in inputs])
    found = _first(rules, real, bound, output.zero_point, zeros)
    same = np.array([x.quant == output for x in inputs])
    return replace(
        found,
        multiplier=np.where(same, 1, found.multiplier).astype(np.int32),
        rounding=np.where(same, 0, found.rounding).astype(np.int32),
        shift=np.where(same, 0, found.shift).astype(np.uint8),
    )


def _first(
    rules: Sequence[str],
    real: np.ndarray,
    bound: np.ndarray,
    zero_point: int,
    extra: np.ndarray | None = None,
) -> Multipliers:
    """The integers of the first rule that can represent ``real``; the last one's ValueError."""
    for rule in rules[:-1]:
        try:
            return choose(rule, real, bound, zero_point, extra)
        except ValueError:
            continue
    return choose(rules[-1], real, bound, zero_point, extra)


def _largest(interval: Interval) -> int:
    """Largest magnitude, at least 1."""
    return max(-interval[0], interval[1], 1)


def identity_multipliers() -> Multipliers:
    """The trivial tables of a MaxPool, whose kernel uses only the bounds."""
    return Multipliers(
        "shift",
        np.ones(1, dtype=np.int32),
        np.zeros(1, dtype=np.int32),
        np.zeros(1, dtype=np.uint8),
        0.0,
    )

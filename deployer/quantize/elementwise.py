"""Multipliers of the operators without weights."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np

from deployer.ir import PoolAttrs, QuantParams, RequantRule
from deployer.numerics import (
    INT32_MAX,
    MAX_SHIFT,
    Multipliers,
    RuleSearch,
    choose,
    mean_of,
    rounding_constant,
)
from deployer.quantize.ranges import Interval
from deployer.quantize.scheme import Scheme, Tensor

_ADD_BITS = 15
_CLOSE_ENOUGH = 1 / 64  # output steps that no rule has to do better than
UPCAST_BITS = 7  # 255·2^7 < 2^15: holds an int8 less any zero point


def add_multipliers(
    left: Tensor, right: Tensor, output: QuantParams, *, sign: int, close: bool
) -> Multipliers:
    """Two multipliers on one shift, as large as docs/arithmetic.md has them.

    With int8 inputs the larger is in [2^14, 2^15) unless the shift is at an end; with int16, or
    ``close``, they are as large as int32 allows. ``sign`` -1 negates the second: a subtraction.
    Raises ValueError when the output's scale is too fine for them.
    """
    real = [x.quant.tensor_scale / output.tensor_scale for x in (left, right)]
    largest = -left.quant.low
    narrow = left.quant.bits == 8 and not close
    shift = _first_shift(real) if narrow else MAX_SHIFT
    multipliers = _rounded(real, shift)
    while shift >= 0:
        first, second = multipliers
        zeros = first * left.quant.zero_point + sign * second * right.quant.zero_point
        rounding = rounding_constant(shift, output.zero_point) - zeros
        if largest * (first + second) + abs(rounding) <= INT32_MAX:
            return _add(real, multipliers, rounding, shift, sign=sign, steps=output.steps)
        shift, multipliers = shift - 1, _rounded(real, shift - 1)
    raise ValueError(f"inputs {max(real):.3g} times coarser than the output")


def _first_shift(real: list[float]) -> int:
    """At which the larger multiplier is an int16."""
    shift = min(_ADD_BITS - math.frexp(max(real))[1], MAX_SHIFT)
    return shift - (max(_rounded(real, shift)) == 1 << _ADD_BITS)


def _rounded(real: list[float], shift: int) -> list[int]:
    return [math.floor(math.ldexp(m, shift) + 0.5) for m in real]


def _add(
    real: list[float],
    multipliers: list[int],
    rounding: int,
    shift: int,
    *,
    sign: int,
    steps: int,
) -> Multipliers:
    error = sum(
        steps * abs(math.ldexp(m, -shift) - exact)
        for m, exact in zip(multipliers, real, strict=True)
    )
    return Multipliers(
        RequantRule.I32,
        np.array([multipliers[0], sign * multipliers[1]], dtype=np.int32),
        np.array([rounding], dtype=np.int32),
        np.array([shift], dtype=np.uint8),
        error,
    )


def average_multipliers(
    x: Tensor, output: QuantParams, attrs: PoolAttrs, *, fewest: int
) -> Multipliers:
    """Entry n - 1 serves windows with n taps inside the tensor; there are none with less than
    ``fewest``, whose entries need not be representable. ValueError: scale too fine."""
    taps = attrs.window.taps
    inside = np.maximum(np.arange(1, taps + 1), fewest)
    count = np.full(taps, taps) if attrs.count_include_pad else inside
    real = x.quant.tensor_scale / output.tensor_scale / count
    bound = inside * largest(x.interval)
    rule = _best_rule(x.quant)
    zeros = inside * x.quant.zero_point
    return choose(rule, real, bound, output.zero_point, zeros, steps=output.steps)


def plain_mean(attrs: PoolAttrs, even: int | None = None) -> Multipliers:
    """Entry n - 1 divides by the taps that count, n of which lie inside; ``even`` is the zero point
    from which halves are rounded to even."""
    taps = attrs.window.taps
    counts = np.full(taps, taps) if attrs.count_include_pad else np.arange(1, taps + 1)
    return mean_of(counts, even)


def rescale_multipliers(x: Tensor, output: QuantParams) -> Multipliers:
    """One entry for the tensor. ValueError: the output's scale is too fine."""
    real = np.array([x.quant.tensor_scale / output.tensor_scale])
    bound = np.array([largest(x.interval)])
    zeros = np.array([x.quant.zero_point])
    return choose(RequantRule.I32, real, bound, output.zero_point, zeros, steps=output.steps)


def mul_multipliers(
    left: Tensor, right: Tensor, output: QuantParams, scheme: Scheme
) -> Multipliers:
    """One entry, for the product of the centred inputs. ValueError: the scale is too fine."""
    real = np.array([left.quant.tensor_scale * right.quant.tensor_scale / output.tensor_scale])
    bound = np.array([largest(left.centred) * largest(right.centred)])
    best = RuleSearch.CLOSE if scheme.close else _best_rule(left.quant)
    tried = [best if rule == RequantRule.I32 else rule for rule in scheme.rules]
    return _first(tried, real, bound, output)


def product_multipliers(
    step: float, bound: int, output: QuantParams, scheme: Scheme
) -> Multipliers:
    """One entry, for sums of at most ``bound`` in steps of ``step``; by a high word, for which
    kernels have loops of their own, where that is close. ValueError: the output's scale is too
    fine, or the sums leave int32."""
    real, bounds = np.array([step / output.tensor_scale]), np.array([bound])
    best = RuleSearch.CLOSE if scheme.close else RuleSearch.AUTO
    tried = [best if rule == RequantRule.I32 else rule for rule in scheme.rules]
    if best == RuleSearch.AUTO and tried[0] == best:
        with suppress(ValueError):
            high = choose(RequantRule.Q32, real, bounds, output.zero_point, steps=output.steps)
            if high.error < _CLOSE_ENOUGH:
                return high
    return _first(tried, real, bounds, output)


def _best_rule(quant: QuantParams) -> RequantRule | RuleSearch:
    """Of sums and products: i32 for int8; int16 leaves it few bits, so that q16 may do better."""
    return RequantRule.I32 if quant.bits == 8 else RuleSearch.AUTO


def prelu_multipliers(x: Tensor, output: QuantParams, slopes: np.ndarray) -> Multipliers:
    """Entry 0 from the zero point up, entry 1 + c below it. ValueError: scale too fine."""
    factors = np.concatenate([[1.0], slopes])
    low, high = x.centred
    bound = np.array([max(high, 1)] + [max(-low, 1)] * len(slopes))
    real = np.abs(factors) * x.quant.tensor_scale / output.tensor_scale
    found = choose(RequantRule.I32, real, bound, output.zero_point, steps=output.steps)
    signs = np.where(factors < 0, -1, 1).astype(np.int32)
    return replace(found, multiplier=found.multiplier * signs)


def concat_multipliers(
    inputs: Sequence[Tensor], output: QuantParams, rules: Sequence[RequantRule | RuleSearch]
) -> Multipliers:
    """Entry i brings input i to the output's scale; the identity where it has it already.

    ValueError: the output's scale is too fine for an input.
    """
    real = np.array([x.quant.tensor_scale / output.tensor_scale for x in inputs])
    bound = np.array([largest(x.interval) for x in inputs])
    zeros = np.array([x.quant.zero_point for x in inputs])
    found = _first(rules, real, bound, output, zeros)
    same = np.array([x.quant == output for x in inputs])
    return replace(
        found,
        multiplier=np.where(same, 1, found.multiplier).astype(np.int32),
        rounding=np.where(same, 0, found.rounding).astype(np.int32),
        shift=np.where(same, 0, found.shift).astype(np.uint8),
    )


def _first(
    rules: Sequence[RequantRule | RuleSearch],
    real: np.ndarray,
    bound: np.ndarray,
    output: QuantParams,
    extra: np.ndarray | None = None,
) -> Multipliers:
    """The integers of the first rule that can represent ``real``; the last one's ValueError."""
    for rule in rules[:-1]:
        try:
            return choose(rule, real, bound, output.zero_point, extra, steps=output.steps)
        except ValueError:
            continue
    return choose(rules[-1], real, bound, output.zero_point, extra, steps=output.steps)


def largest(interval: Interval) -> int:
    """The largest magnitude, at least 1."""
    return max(-interval[0], interval[1], 1)


def identity_multipliers() -> Multipliers:
    """The trivial tables of a MaxPool, whose kernel uses only the bounds."""
    return _exact(RequantRule.SHIFT, 1, 0)


def upcast_multipliers(quant: QuantParams) -> Multipliers:
    """From int8 ``quant`` to int16 at 2^-UPCAST_BITS times its scale, without any rounding."""
    factor = 1 << UPCAST_BITS
    return _exact(RequantRule.I32, factor, -quant.zero_point * factor)


def _exact(rule: RequantRule, multiplier: int, rounding: int) -> Multipliers:
    """One entry, no shift."""
    return Multipliers(
        rule,
        np.array([multiplier], dtype=np.int32),
        np.array([rounding], dtype=np.int32),
        np.zeros(1, dtype=np.uint8),
        0.0,
    )

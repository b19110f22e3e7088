"""The requantization rules and how their integers are chosen (docs/arithmetic.md).

Paper 004, section 3.1 is the `i32` rule, ``m·φ + λ >> d``; paper 001, 3.3.3 is `shift`. `q32` is
made for instructions that give the rounded high word of a product: SMMLAR, SQRDMULH. `q31` is what
CMSIS-NN computes when built for single rounding, with TensorFlow Lite's multipliers and shifts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from deployer.choices import Word
from deployer.ir import MEANS, RequantRule


class RuleSearch(Word):
    """Leaves the rule to ``choose``: ``AUTO`` takes the most exact, ``CLOSE`` the first that loses
    no more than CLOSE."""

    AUTO = "auto"
    CLOSE = "close"


_TRIED = {
    RuleSearch.AUTO: (RequantRule.I32, RequantRule.Q32, RequantRule.Q16),
    # the quick ones first
    RuleSearch.CLOSE: (RequantRule.Q32, RequantRule.I32, RequantRule.Q16, RequantRule.Q31),
}
# Output steps at full scale below which a multiplier is as good as the 24 bits of a float's.
CLOSE = 2.0**-14
INT32_MAX = 2**31 - 1
MAX_SHIFT = 30
_Q16_FRACTION = 16
_Q32_FRACTION = 32
_Q31_BITS, _Q31_MAX_SHIFT = 31, 62
_HALF = 1 << 31
_Q16_MAX_SHIFT = 22
_AT_ONCE = (RequantRule.Q32, RequantRule.Q31, *MEANS)  # take the accumulator as it is
# multiplier, rounding, shift; relative deviation; output steps lost to a floor beforehand
_Entry = tuple[int, int, int, float, float]


@dataclass(frozen=True, eq=False)
class Multipliers:
    """One entry per channel: int32 ``multiplier`` and ``rounding``, uint8 ``shift``.

    ``error`` bounds the deviation from the exact real multiplier, in output steps.
    """

    rule: RequantRule
    multiplier: np.ndarray
    rounding: np.ndarray
    shift: np.ndarray
    error: float


def requantize(
    acc: np.ndarray,
    rule: RequantRule,
    multiplier: np.ndarray,
    rounding: np.ndarray,
    shift: np.ndarray,
    *,
    low: int,
    high: int,
    dtype: npt.DTypeLike = np.int8,
) -> np.ndarray:
    """int32 accumulators (channels last) to ``dtype``; the other arrays broadcast against them.

    ``low`` and ``high`` lie in the range of ``dtype``, int8 or int16. Raises OverflowError when an
    intermediate value leaves int32, as no kernel could follow.
    """
    if rule not in tuple(RequantRule):
        raise ValueError(f"unknown requantization rule {rule!r}")
    if not acc.size:
        return acc.astype(dtype)
    tables = [np.asarray(table, dtype=np.int64) for table in (multiplier, rounding, shift)]
    if max(table.ndim for table in tables) > 1:
        total = _total(acc.astype(np.int64), rule, *tables[:2])
        wide: np.ndarray = np.clip(_checked(_finish(total, rule, tables)), low, high).astype(dtype)
        return wide
    return _by_channel(acc, rule, tables, low=low, high=high).astype(dtype)


def _by_channel(
    acc: np.ndarray, rule: RequantRule, tables: list[np.ndarray], *, low: int, high: int
) -> np.ndarray:
    """The rule in int32, clamped, after a proof on each channel's extremes that nothing overflows.

    Rows of whole images against repeated tables: numpy is fast on long rows only.
    """
    channels = acc.shape[-1]
    rows = acc.reshape(1 if acc.ndim == 1 else len(acc), -1)
    lowest, highest = rows.min(axis=0), rows.max(axis=0)
    ends = np.stack([lowest, highest]).reshape(2, -1, channels).astype(np.int64)
    _checked(_finish(_total(ends, rule, *tables[:2]), rule, tables))
    pixels = rows.shape[1] // channels
    m, r, s = (np.tile(np.broadcast_to(t, channels).astype(np.int32), pixels) for t in tables)
    total = _scaled(rows.astype(np.int32, copy=False), rule, m, r)
    total = _finish(total, rule, (m, r, s))
    return np.clip(total, low, high, out=total).reshape(acc.shape)


def _finish(total: np.ndarray, rule: RequantRule, tables: Sequence[np.ndarray]) -> np.ndarray:
    """What a rule does after ``_total``, before the clamp: a shift, or all that it does."""
    multiplier, rounding, shift = tables
    if rule not in _AT_ONCE:
        shifted: np.ndarray = total >> shift
        return shifted
    if rule == RequantRule.MEAN:
        return mean(total, multiplier)
    if rule == RequantRule.MEAN_EVEN:
        return mean_even(total, multiplier, rounding)
    product = total.astype(np.int64) * multiplier
    if rule == RequantRule.Q31:
        rounded: np.ndarray = half_up(product, shift) + rounding
        return rounded
    product += _HALF
    product >>= _Q32_FRACTION
    result: np.ndarray = product + rounding
    return result


def half_up(product: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """int64 ``product`` over 2^shift, at least 2, to the nearest integer."""
    rounded: np.ndarray = (product + (np.int64(1) << (shift.astype(np.int64) - 1))) >> shift
    return rounded


def mean(total: np.ndarray, count: np.ndarray) -> np.ndarray:
    """``total / count``, halves away from zero, as C divides."""
    rounded: np.ndarray = np.sign(total) * ((np.abs(total) + count // 2) // count)
    return rounded


def mean_even(total: np.ndarray, count: np.ndarray, zero_point: np.ndarray) -> np.ndarray:
    """``total / count``, halves to where an even number of steps leads from ``zero_point``, as
    rounding of float32 numbers does."""
    down, rest = np.divmod(total - count * zero_point, count)
    rounded: np.ndarray = zero_point + down + (2 * rest + (down & 1) > count)
    return rounded


def _checked(values: np.ndarray) -> np.ndarray:
    """``values``. Raises OverflowError where one leaves int32."""
    if values.max() > INT32_MAX or values.min() < -INT32_MAX - 1:
        raise OverflowError("requantization leaves int32: the range analysis was wrong")
    return values


def _total(
    acc: np.ndarray, rule: RequantRule, multiplier: np.ndarray, rounding: np.ndarray
) -> np.ndarray:
    """``_scaled`` in int64, checked at every step against int32."""
    if rule == RequantRule.Q16 and not ((multiplier >= 0) & (multiplier < 1 << 15)).all():
        raise ValueError("a q16 multiplier is not in [0, 2^15)")
    if rule in (RequantRule.Q32, RequantRule.Q31) and not (multiplier >= 0).all():
        raise ValueError(f"a {rule} multiplier is negative")
    total = _scaled(acc, rule, multiplier, rounding)
    scaled = total if rule in _AT_ONCE else total - rounding
    for values in (acc, scaled, total):
        _checked(values)
    return total


def _scaled(
    acc: np.ndarray, rule: RequantRule, multiplier: np.ndarray, rounding: np.ndarray
) -> np.ndarray:
    """Multiplier and rounding constant applied, in the type of ``acc``; some do so at their end.

    q16 as two halves, ``(hi·2^16 + lo)·m >> 16 = hi·m + (lo·m >> 16)``: all of it fits int32.
    """
    if rule in _AT_ONCE:
        return acc
    if rule == RequantRule.SHIFT:
        unscaled: np.ndarray = acc + rounding
        return unscaled
    if rule == RequantRule.I32:
        scaled: np.ndarray = acc * multiplier + rounding
        return scaled
    low_part = (acc & 0xFFFF) * multiplier
    low_part >>= _Q16_FRACTION
    result: np.ndarray = (acc >> _Q16_FRACTION) * multiplier + low_part + rounding
    return result


def rounding_constant(shift: int, zero_point: int) -> int:
    """``2^(s-1) + zy·2^s``: rounds half up and adds the output's zero point."""
    return ((1 << (shift - 1)) if shift else 0) + (zero_point << shift)


def choose(
    rule: RequantRule | RuleSearch,
    real: np.ndarray,
    bound: np.ndarray,
    zero_point: int,
    extra: np.ndarray | None = None,
    *,
    steps: int = 255,
) -> Multipliers:
    """The integers of ``rule`` for real multipliers ``real``, found once where channels are alike,
    as the counts of a global average are.

    ``bound`` is the largest accumulator magnitude per channel. ``extra`` (per channel, default 0)
    is subtracted from the rounding constant after being multiplied by the multiplier: it folds an
    input zero point, which only i32 and shift can. The stated error is for an output of
    ``steps`` steps at full scale: 255, or 65,535 of int16. Raises ValueError when no integers of
    the rule represent the multipliers and keep every channel inside int32.
    """
    if not ((real >= 0) & (real <= INT32_MAX)).all():
        raise ValueError("a multiplier is negative, not finite or larger than int32")
    if rule in tuple(RuleSearch):
        return _better(RuleSearch(rule), real, bound, zero_point, extra, steps)
    pick = cache(_PICKS[RequantRule(rule)])
    extras = np.zeros(len(real), dtype=np.int64) if extra is None else extra
    channels = zip(real, np.maximum(bound, 1), extras, strict=True)
    rows = [pick(float(m), int(a), zero_point, int(x)) for m, a, x in channels]
    multiplier, rounding, shift, deviation, floored = zip(*rows, strict=True)
    largest = np.minimum(steps, (bound + np.abs(extras)) * real)  # output steps from the zero point
    return Multipliers(
        RequantRule(rule),
        np.array(multiplier, dtype=np.int32),
        np.array(rounding, dtype=np.int32),
        np.array(shift, dtype=np.uint8),
        float(np.max(largest * deviation + floored)),
    )


def _better(
    rules: RuleSearch,
    real: np.ndarray,
    bound: np.ndarray,
    zero_point: int,
    extra: np.ndarray | None,
    steps: int,
) -> Multipliers:
    """Of the rules that can represent the layer the one with the smallest error, the first when
    equal; of close ones the first whose error is small enough."""
    found: list[Multipliers] = []
    reasons = []
    for rule in _TRIED[rules]:
        try:
            found.append(choose(rule, real, bound, zero_point, extra, steps=steps))
        except ValueError as error:
            reasons.append(str(error))
            continue
        if rules == RuleSearch.CLOSE and found[-1].error <= CLOSE:
            return found[-1]
    if not found:
        raise ValueError("; ".join(reasons))
    return min(found, key=lambda candidate: candidate.error)


def _shift(real: float, bound: int, zero_point: int, extra: int) -> _Entry:
    """Below half an output step whatever the accumulator, the smallest such shift does as well."""
    mantissa, exponent = math.frexp(real)
    shift = 1 - exponent
    if not extra:
        shift = min(shift, bound.bit_length() + 1)
    if mantissa != 0.5 or not 0 <= shift <= MAX_SHIFT:
        raise ValueError(f"multiplier {real} is not a power of two in [2^-{MAX_SHIFT}, 1]")
    rounding = rounding_constant(shift, zero_point) - extra
    if bound + abs(rounding) > INT32_MAX:
        raise ValueError("accumulator leaves int32")
    return 1, rounding, shift, 0.0, 0.0


def _i32(real: float, bound: int, zero_point: int, extra: int) -> _Entry:
    for shift in range(_most_shift(real, bound), -1, -1):
        multiplier = _nearest(real, shift)
        rounding = rounding_constant(shift, zero_point) - extra * multiplier
        if bound * multiplier + abs(rounding) <= INT32_MAX:
            return multiplier, rounding, shift, _deviation(multiplier, real, shift), 0.0
    raise ValueError(f"multiplier {real} with accumulators up to {bound} leaves int32")


def _most_shift(real: float, bound: int) -> int:
    """Above it a multiplier of i32 takes ``bound`` beyond int32, whatever the rounding constant. A
    pool over a large image has a million entries, for each of which shifts are tried."""
    if real == 0:
        return MAX_SHIFT
    beyond = INT32_MAX / bound + 1
    return min(MAX_SHIFT, math.frexp(beyond / real)[1] - 1)


def _q16(real: float, bound: int, zero_point: int, extra: int) -> _Entry:
    if extra:
        raise ValueError("q16 cannot fold an input zero point")
    # m / 2^(16+s) with m in [2^14, 2^15) represents [2^-(s+2), 2^-(s+1))
    shift = min(max(-math.frexp(real)[1] - 1, 0), _Q16_MAX_SHIFT) if real > 0 else 1
    multiplier = _nearest(real, shift + _Q16_FRACTION)
    if multiplier == 1 << 15 and shift:
        shift, multiplier = shift - 1, 1 << 14
    if multiplier >= 1 << 15:
        raise ValueError(f"multiplier {real} is too large for q16, which ends below 1/2")
    rounding = rounding_constant(shift, zero_point)
    if (bound * multiplier >> _Q16_FRACTION) + 1 + abs(rounding) > INT32_MAX:
        raise ValueError(f"multiplier {real} with accumulators up to {bound} leaves int32")
    deviation = _deviation(multiplier, real, shift + _Q16_FRACTION)
    return multiplier, rounding, shift, deviation, 2.0**-shift


def _q32(real: float, bound: int, zero_point: int, extra: int) -> _Entry:
    """Any accumulator of int32 will do."""
    if extra:
        raise ValueError("q32 cannot fold an input zero point")
    multiplier = _nearest(real, _Q32_FRACTION)
    if multiplier >= 1 << 31:
        raise ValueError(f"multiplier {real} is too large for q32, which ends below 1/2")
    if bound > INT32_MAX:
        raise ValueError("accumulator leaves int32")
    return multiplier, zero_point, 0, _deviation(multiplier, real, _Q32_FRACTION), 0.0


def _q31(real: float, bound: int, zero_point: int, extra: int) -> _Entry:
    """Multipliers in [2^30, 2^31), or below when the shift has reached its limit."""
    if extra:
        raise ValueError("q31 cannot fold an input zero point")
    shift = min(_Q31_BITS - math.frexp(real)[1], _Q31_MAX_SHIFT) if real > 0 else _Q31_BITS
    if shift > 0 and _nearest(real, shift) == 1 << _Q31_BITS:
        shift -= 1
    if shift < 1 or bound * real + abs(zero_point) + 1 > INT32_MAX or bound > INT32_MAX:
        raise ValueError(f"multiplier {real} with accumulators up to {bound} leaves int32")
    multiplier = _nearest(real, shift)
    return multiplier, zero_point, shift, _deviation(multiplier, real, shift), 0.0


def mean_of(counts: np.ndarray, even: int | None = None) -> Multipliers:
    """Entries of ``mean``: each divides by one of ``counts``. ``even``, a zero point, makes them
    entries of ``mean_even``."""
    rule = RequantRule.MEAN if even is None else RequantRule.MEAN_EVEN
    zeros = np.full(len(counts), even or 0, dtype=np.int32)
    shifts = np.zeros(len(counts), dtype=np.uint8)
    return Multipliers(rule, counts.astype(np.int32), zeros, shifts, 0.0)


def _nearest(real: float, fraction: int) -> int:
    """``real`` as an integer over 2^fraction, half up."""
    return math.floor(math.ldexp(real, fraction) + 0.5)


def _deviation(multiplier: int, real: float, fraction: int) -> float:
    """The part of the output lost because the multiplier is an integer over 2^fraction."""
    if real == 0:
        return 0.0
    return abs(math.ldexp(multiplier, -fraction) - real) / real


_PICKS = {
    RequantRule.I32: _i32,
    RequantRule.Q16: _q16,
    RequantRule.Q32: _q32,
    RequantRule.Q31: _q31,
    RequantRule.SHIFT: _shift,
}

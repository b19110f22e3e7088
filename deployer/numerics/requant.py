"""The requantization rules and how their integers are chosen (docs/arithmetic.md).

Paper 004, section 3.1 is the `i32` rule, ``m·φ + λ >> d``; paper 001, 3.3.3 is `shift`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

RULES = ("shift", "i32", "q16")
INT32_MAX = 2**31 - 1
MAX_SHIFT = 30
_Q16_FRACTION = 16
_Q16_MAX_SHIFT = 22


@dataclass(frozen=True, eq=False)
class Multipliers:
    """One entry per channel: int32 ``multiplier`` and ``rounding``, uint8 ``shift``.

    ``error`` bounds the deviation from the exact real multiplier, in output steps.
    """

    rule: str
    multiplier: np.ndarray
    rounding: np.ndarray
    shift: np.ndarray
    error: float


def requantize(
    acc: np.ndarray,
    rule: str,
    multiplier: np.ndarray,
    rounding: np.ndarray,
    shift: np.ndarray,
    *,
    low: int,
    high: int,
) -> np.ndarray:
    """int32 accumulators (channels last) to int8; the other arrays broadcast against them."""
    wide = acc.astype(np.int64)
    if rule == "i32":
        wide = wide * multiplier
    elif rule == "q16":
        wide = (wide * multiplier) >> _Q16_FRACTION
    elif rule != "shift":
        raise ValueError(f"unknown requantization rule {rule!r}")
    total = wide + rounding
    if total.size and max(total.max(), -total.min()) > INT32_MAX:
        raise OverflowError("requantization leaves int32: the range analysis was wrong")
    return np.clip(total >> shift, low, high).astype(np.int8)


def rounding_constant(shift: int, zero_point: int) -> int:
    """``2^(s-1) + zy·2^s``: rounds half up and adds the output's zero point."""
    return ((1 << (shift - 1)) if shift else 0) + (zero_point << shift)


def choose(
    rule: str, real: np.ndarray, bound: np.ndarray, zero_point: int, extra: np.ndarray | None = None
) -> Multipliers:
    """The integers of ``rule`` ("auto": the better of i32 and q16) for real multipliers ``real``.

    ``bound`` is the largest accumulator magnitude per channel. ``extra`` (per channel, default 0)
    is subtracted from the rounding constant after being multiplied by the multiplier: it folds an
    input zero point. Raises ValueError when no integers keep the channel inside int32.
    """
    if rule == "auto":
        candidates = [choose(name, real, bound, zero_point, extra) for name in ("i32", "q16")]
        return min(candidates, key=lambda c: c.error)
    pick = {"i32": _i32, "q16": _q16, "shift": _shift}[rule]
    floor = np.maximum(bound, 1)
    extras = np.zeros(len(real), dtype=np.int64) if extra is None else extra
    rows = [
        pick(float(m), int(a), zero_point, int(x))
        for m, a, x in zip(real, floor, extras, strict=True)
    ]
    multiplier, rounding, shift, error = zip(*rows, strict=True)
    return Multipliers(
        rule,
        np.array(multiplier, dtype=np.int32),
        np.array(rounding, dtype=np.int32),
        np.array(shift, dtype=np.uint8),
        max(error),
    )


def _shift(real: float, bound: int, zero_point: int, extra: int) -> tuple[int, int, int, float]:
    exponent = -math.log2(real) if real > 0 else float(MAX_SHIFT)
    shift = round(exponent)
    if shift != exponent or not 0 <= shift <= MAX_SHIFT:
        raise ValueError(f"multiplier {real} is not a power of two in [2^-{MAX_SHIFT}, 1]")
    rounding = rounding_constant(shift, zero_point) - extra
    if bound + abs(rounding) > INT32_MAX:
        raise ValueError("accumulator leaves int32")
    return 1, rounding, shift, 0.0


def _i32(real: float, bound: int, zero_point: int, extra: int) -> tuple[int, int, int, float]:
    for shift in range(MAX_SHIFT, -1, -1):
        multiplier = math.floor(math.ldexp(real, shift) + 0.5)
        rounding = rounding_constant(shift, zero_point) - extra * multiplier
        if bound * multiplier + abs(rounding) <= INT32_MAX:
            return multiplier, rounding, shift, _deviation(multiplier, real, shift)
    raise ValueError(f"multiplier {real} with accumulators up to {bound} leaves int32")


def _q16(real: float, bound: int, zero_point: int, extra: int) -> tuple[int, int, int, float]:
    if extra:
        raise ValueError("q16 cannot fold an input zero point")
    # m / 2^(16+s) with m in [2^14, 2^15) represents [2^-(s+2), 2^-(s+1))
    shift = min(max(-math.frexp(real)[1] - 1, 0), _Q16_MAX_SHIFT) if real > 0 else 1
    multiplier = math.floor(math.ldexp(real, shift + _Q16_FRACTION) + 0.5)
    if multiplier == 1 << 15:
        shift, multiplier = (shift - 1, 1 << 14) if shift else (shift, multiplier)
    rounding = rounding_constant(shift, zero_point)
    scaled = (bound * multiplier >> _Q16_FRACTION) + 1
    if multiplier >= 1 << 15 or scaled + abs(rounding) > INT32_MAX:
        return 0, 0, 0, math.inf
    error = _deviation(multiplier, real, shift + _Q16_FRACTION) + 2.0**-shift
    return multiplier, rounding, shift, error


def _deviation(multiplier: int, real: float, fraction: int) -> float:
    """Output steps lost at full scale because the multiplier is an integer over 2^fraction."""
    if real == 0:
        return 0.0
    return 255 * abs(math.ldexp(multiplier, -fraction) - real) / real

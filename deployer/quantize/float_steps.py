"""Multipliers that step from one output to the next at the accumulators where float32 does.

Other runtimes multiply an accumulator by a float32 and round that product, itself a float32, half
to even. Such a product can land on a tie that the exact one misses. An output goes up by one in at
most 255 places, each of which bounds the integer multiplier from both sides. One within all bounds
is taken, or within most where ties contradict each other.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from deployer.ir import QuantParams, RequantRule
from deployer.numerics import Multipliers

_FRACTION_BITS = 32  # of q32
_MAX_EXACT_INTEGER = 1 << 24  # integers that float32 holds
_MAX_SHIFT = 52  # below it twice an output times 2^shift fits int64
_MAX_MOVE_SHARE = 2.0**-20  # part of a multiplier that it may move by: 2^-12 of 255 steps
_EQUAL = 1 - 1e-12  # sums in other orders
_LOW = np.iinfo(np.int64).min
_HIGH = np.iinfo(np.int64).max


def stepping_as_floats(
    found: Multipliers,
    real: np.ndarray,
    bound: np.ndarray,
    output: QuantParams,
    centre: np.ndarray,
) -> Multipliers:
    """``found``, of q32 or q31, with the multipliers near its own that share the most steps with
    ``real``, float32 numbers, over accumulators up to ``bound``. Steps count the more the nearer
    they are to ``centre``, accumulators that most others lie around. Other rules stay as they
    are."""
    if found.rule not in (RequantRule.Q32, RequantRule.Q31):
        return found
    own = found.rule == RequantRule.Q31
    shifts = found.shift.astype(np.int64) if own else np.full(len(real), _FRACTION_BITS)
    halves = np.arange(output.low, output.high) - output.zero_point + 0.5
    columns = zip(found.multiplier.tolist(), shifts.tolist(), real, bound, centre, strict=True)
    moved = np.array(
        [_moved(m, s, np.float32(r), int(b), halves, float(c)) for m, s, r, b, c in columns]
    )
    lost = np.abs(moved - found.multiplier) / np.maximum(found.multiplier, 1)
    error = found.error + float(np.max(lost * np.minimum(output.steps, bound * real)))
    return replace(found, multiplier=moved.astype(np.int32), error=error)


def _moved(
    multiplier: int, shift: int, real: np.float32, bound: int, halves: np.ndarray, centre: float
) -> int:
    """The multiplier over 2^shift, next to ``multiplier``, within the bounds of the most steps."""
    if not 1 <= shift <= _MAX_SHIFT or multiplier <= 0:
        return multiplier
    first, halves = _steps(real, bound, halves)
    low, high = _bounds(first, halves, shift)
    if ((low <= multiplier) & (multiplier <= high)).all():
        return multiplier
    near = np.concatenate([[multiplier], low, high])
    near = near[np.abs(near - multiplier) <= multiplier * _MAX_MOVE_SHARE]
    near = np.unique([n for n in near.tolist() if n.bit_length() == multiplier.bit_length()])
    often = 1 / (1 + np.abs(halves - centre * real))
    kept = ((low <= near[:, None]) & (near[:, None] <= high)) @ often
    best = near[kept >= kept.max() * _EQUAL]
    return int(best[np.abs(best - multiplier).argmin()])


def _steps(real: np.float32, bound: int, halves: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first accumulators whose float32 product rounds above ``halves``, and those halves; only
    steps that can be reached."""
    near = np.ceil(halves / np.float64(real))
    inside = np.abs(near) < min(bound, _MAX_EXACT_INTEGER)
    near, halves = near[inside, None] + np.arange(-2, 3), halves[inside]
    above = np.rint(near.astype(np.float32) * real) > halves[:, None]
    return near[np.arange(len(near)), above.argmax(axis=1)].astype(np.int64), halves


def _bounds(first: np.ndarray, halves: np.ndarray, shift: int) -> tuple[np.ndarray, np.ndarray]:
    """Least and largest multiplier for which ``first``, and no accumulator below it, gives at least
    the half: ``first·m >= half·2^shift > (first - 1)·m``."""
    wanted = (2 * halves).astype(np.int64) << (shift - 1)
    (low, high), (lower, upper) = _reaching(first, wanted), _reaching(1 - first, 1 - wanted)
    return np.maximum(low, lower), np.minimum(high, upper)


def _reaching(count: np.ndarray, wanted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Least and largest m for which ``count·m >= wanted``; no bound where ``count`` is 0."""
    divisor = np.where(count, count, 1)
    low = np.where(count > 0, -(-wanted // divisor), _LOW)
    high = np.where(count < 0, wanted // divisor, _HIGH)
    return low, high

"""Exact ranges of accumulators: what makes "cannot overflow" a proof (docs/arithmetic.md)."""

from __future__ import annotations

import numpy as np

Interval = tuple[int, int]

# Room above the largest accumulator for a rounding constant: 2^30 + 128·2^22 + … < 2^31. Without a
# zero point it is 2^(s-1): at most 2^21 in q16, and about 2^15 where int32 sums become int16.
ACCUMULATOR_LIMIT = 1 << 30
WIDE_LIMIT = (1 << 31) - (1 << 23)


def accumulators(
    rows: np.ndarray, bias: np.ndarray, taken: Interval
) -> tuple[np.ndarray, np.ndarray]:
    """Smallest and largest ``bias + Σ w·x`` per channel, int64.

    ``rows`` (channels, taps) and ``bias`` (channels) are integers; every x lies in ``taken``.
    """
    wide = rows.astype(np.int64)
    positive = np.maximum(wide, 0).sum(axis=1)
    negative = np.minimum(wide, 0).sum(axis=1)
    low, high = taken
    folded = bias.astype(np.int64)
    return folded + positive * low + negative * high, folded + positive * high + negative * low


def magnitude(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """``A`` of docs/arithmetic.md: the largest absolute value of each range."""
    largest: np.ndarray = np.maximum(np.abs(low), np.abs(high))
    return largest


def partial_magnitude(rows: np.ndarray, bias: np.ndarray, taken: Interval) -> np.ndarray:
    """Bound per channel on every intermediate sum, whatever the order a kernel adds in.

    Any subset of the taps, with or without the bias, stays within it.
    """
    low, high = accumulators(rows, np.zeros(len(bias), dtype=np.int64), hull(taken, 0))
    folded = bias.astype(np.int64)
    return magnitude(np.minimum(folded, 0) + low, np.maximum(folded, 0) + high)


def hull(interval: Interval, *points: int) -> Interval:
    """The smallest interval that also holds ``points``."""
    return min(interval[0], *points), max(interval[1], *points)

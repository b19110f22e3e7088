"""How figures of one kind lie: quantiles that were seen, never between two that were."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

LEAST_P95, LEAST_P99 = 20, 100  # values from which on the quantile is another than the largest


@dataclass(frozen=True)
class Spread:
    """Of ``count`` values, in their unit. ``p95``, ``p99``: the least value that so many per cent
    of all do not exceed, None where too few would tell it from the largest. ``median``: the same
    with 50 per cent."""

    count: int
    minimum: float
    median: float
    p95: float | None
    p99: float | None
    maximum: float

    @property
    def jitter(self) -> float:
        """From the smallest to the largest."""
        return self.maximum - self.minimum


def spread_of(values: Sequence[float]) -> Spread:
    """Raises ValueError for no values."""
    if not values:
        raise ValueError("a spread of no values")
    ordered = sorted(values)
    count = len(ordered)
    return Spread(
        count=count,
        minimum=ordered[0],
        median=quantile(ordered, 50),
        p95=quantile(ordered, 95) if count >= LEAST_P95 else None,
        p99=quantile(ordered, 99) if count >= LEAST_P99 else None,
        maximum=ordered[-1],
    )


def quantile(ordered: Sequence[float], per_cent: int) -> float:
    """Of sorted values: the nearest rank, in integers so that no rounding moves it."""
    return ordered[max(0, -(-per_cent * len(ordered) // 100) - 1)]

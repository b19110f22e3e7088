"""How the values of each activation are spread over its range: the second pass of calibration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from deployer.ir import Graph
from deployer.quantize.calibrate import Progress, Spread, activation_chunks, no_progress

BINS = 2048
_SLICE_ELEMENTS = 1 << 20  # elements binned at once: bounds the memory of index arrays


@dataclass(frozen=True, eq=False)
class Histogram:
    """Counts of non-zero values in BINS equal bins over [low, high], which holds 0.

    Zeros are counted apart: every quantization holds them exactly, and after a ReLU they are most.
    """

    low: float
    high: float
    counts: np.ndarray
    zeros: int

    @property
    def edges(self) -> np.ndarray:
        return np.linspace(self.low, self.high, len(self.counts) + 1)

    @property
    def total(self) -> int:
        return int(self.counts.sum()) + self.zeros

    def beyond(self, share: float) -> tuple[float, float]:
        """The range that leaves at most ``share`` of all values outside at each end."""
        allowed, edges = share * self.total, self.edges
        below, above = np.cumsum(self.counts), np.cumsum(self.counts[::-1])
        first = int(np.searchsorted(below, allowed, side="right"))
        last = len(edges) - 1 - int(np.searchsorted(above, allowed, side="right"))
        low, high = edges[min(first, len(edges) - 1)], edges[max(last, 0)]
        return min(float(low), 0.0), max(float(high), 0.0)


def joined(found: Sequence[Histogram]) -> Histogram:
    """Several as one; a bin's values count at its middle."""
    if len(found) == 1:
        return found[0]
    low, high = min(each.low for each in found), max(each.high for each in found)
    counts = np.zeros(BINS, dtype=np.int64)
    for each in found:
        middles = (each.edges[1:] + each.edges[:-1]) / 2
        bins = ((middles - low) * (BINS / (high - low))).astype(np.int64)
        np.add.at(counts, np.clip(bins, 0, BINS - 1), each.counts)
    return Histogram(low, high, counts, sum(each.zeros for each in found))


def histograms(
    graph: Graph,
    arrays: Mapping[str, np.ndarray],
    spreads: Mapping[str, Spread],
    *,
    progress: Progress = no_progress,
) -> dict[str, Histogram]:
    """One histogram for each activation of ``spreads``, over the range stated there."""
    ranges = {name: (min(s.low, 0.0), max(s.high, 0.0)) for name, s in spreads.items()}
    counts = {name: np.zeros(BINS, dtype=np.int64) for name in spreads}
    zeros = dict.fromkeys(spreads, 0)
    for name, x in activation_chunks(graph, arrays, "calibrate scales", progress):
        if name in spreads:
            counts[name] += _counted(x, *ranges[name])
            zeros[name] += x.size - int(np.count_nonzero(x))
    return {name: Histogram(*ranges[name], counts[name], zeros[name]) for name in spreads}


def _counted(x: np.ndarray, low: float, high: float) -> np.ndarray:
    """Non-zero values a bin; those beyond the ends count at them."""
    total = np.zeros(BINS, dtype=np.int64)
    if high <= low:
        return total
    flat = x.reshape(-1)
    for start in range(0, len(flat), _SLICE_ELEMENTS):
        part = flat[start : start + _SLICE_ELEMENTS]
        part = part[part != 0].astype(np.float64)
        part -= low
        part *= BINS / (high - low)
        bins = part.astype(np.int64)
        np.clip(bins, 0, BINS - 1, out=bins)
        total += np.bincount(bins, minlength=BINS)
    return total

"""Which scale an activation gets: the whole range, or less of it where finer steps gain more.

Each method looks at a histogram and the scheme's candidates, the first of which holds every value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from deployer.choices import Calibration
from deployer.ir import QuantParams
from deployer.quantize.histogram import BINS, Histogram
from deployer.quantize.scheme import Scheme

METHODS = tuple(method for method in Calibration if method != Calibration.AUTO)
_MIN_VALUES = 8 * BINS  # fewer values say nothing of a distribution: most bins hold one or none
_ATOM = 100
_EXACT = 8  # candidates of mse whose error is summed bin by bin
_CELL = 1 / 12  # squared error of one step, integrated


@dataclass(frozen=True)
class Method:
    """``name`` is one of METHODS; ``percentile`` is of that method alone: the share of values, in
    per cent, that each end of the range must not cut off."""

    name: Calibration
    percentile: float


def chosen(histogram: Histogram, scheme: Scheme, method: Method, bits: int) -> QuantParams:
    """The scale that ``method`` finds for values spread so; at least one is not zero.

    int16 has no use for a shorter range: mse and entropy keep the whole one.
    """
    if method.name == Calibration.PERCENTILE:
        return scheme.fit(*histogram.beyond(1 - method.percentile / 100), bits)
    if bits == 16 or (method.name == Calibration.ENTROPY and histogram.counts.sum() < _MIN_VALUES):
        return scheme.fit(histogram.low, histogram.high, bits)
    candidates: Sequence[QuantParams] = scheme.candidates(histogram.low, histogram.high)
    if method.name == Calibration.MSE:
        candidates = _promising(candidates, histogram)
    return _least(candidates, histogram, _COSTS[method.name])


def _least(
    candidates: Sequence[QuantParams],
    histogram: Histogram,
    cost: Callable[[Histogram, QuantParams], float],
) -> QuantParams:
    """The candidate of least cost, the first of equals."""
    return candidates[int(np.argmin([cost(histogram, quant) for quant in candidates]))]


def _promising(candidates: Sequence[QuantParams], histogram: Histogram) -> Sequence[QuantParams]:
    """Those of least estimated squared error, in their order: of what rounds a twelfth of a squared
    step, of what saturates the distance of its bin's middle to the end."""
    if len(candidates) <= _EXACT:
        return candidates
    scales = np.array([quant.tensor_scale for quant in candidates])
    zeros = np.array([quant.zero_point for quant in candidates])
    middles = (histogram.edges[1:] + histogram.edges[:-1]) / 2
    above = _beyond(middles, histogram.counts, (candidates[0].high + 0.5 - zeros) * scales)
    low = (candidates[0].low - 0.5 - zeros) * scales
    below = _beyond(-middles[::-1], histogram.counts[::-1], -low)
    estimated = histogram.counts.sum() * scales**2 * _CELL + above + below
    return [candidates[place] for place in np.sort(np.argsort(estimated, kind="stable")[:_EXACT])]


def _beyond(middles: np.ndarray, counts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Summed squared distance to each of ``ends`` of what lies above it; ``middles`` ascend."""
    moments = [np.append(0.0, np.cumsum((counts * middles**power)[::-1])) for power in range(3)]
    how_many = len(middles) - np.searchsorted(middles, ends)
    count, total, squares = (moment[how_many] for moment in moments)
    found: np.ndarray = squares - 2 * ends * total + ends**2 * count
    return found


def squared_error(histogram: Histogram, quant: QuantParams) -> float:
    """Summed squared error, exact for values spread evenly within each bin."""
    scale = quant.tensor_scale
    steps = histogram.edges / scale + quant.zero_point
    error = np.diff(_integral(steps, quant)) / np.diff(steps)
    return float((histogram.counts * error).sum()) * scale**2


def _integral(steps: np.ndarray, quant: QuantParams) -> np.ndarray:
    """The integral of the squared distance to the nearest integer, from half a step below all."""
    low, high = _ends(quant)
    inside = np.clip(steps, low, high) - low
    cells = np.floor(inside)
    within = cells * _CELL + (_cube(inside - cells - 0.5) + 0.125) / 3
    above, below = np.maximum(steps, high) - quant.high, quant.low - np.minimum(steps, low)
    integral: np.ndarray = within + (_cube(above) - _cube(below)) / 3
    return integral


def _cube(x: np.ndarray) -> np.ndarray:
    """Faster than a power."""
    found: np.ndarray = x * x * x
    return found


def _ends(quant: QuantParams) -> tuple[float, float]:
    """Between them lies what rounds to an integer of the type."""
    return quant.low - 0.5, quant.high + 0.5


def divergence(histogram: Histogram, quant: QuantParams) -> float:
    """Kullback-Leibler divergence of the saturated values from their int8 spread.

    As usual for calibration, saturated values count at the ends of the first spread but not of the
    second, so that cutting them off costs. Zeros stay out of both, and a bin counts for at most
    1 / _ATOM of all: one repeated value (the bias behind an empty background) is no density, and
    sharing its bin with a level's others would look like a loss.
    """
    counts = np.minimum(histogram.counts, histogram.counts.sum() // _ATOM + 1)
    middles = (histogram.edges[1:] + histogram.edges[:-1]) / 2
    steps = middles / quant.tensor_scale + quant.zero_point
    low, high = _ends(quant)
    kept = np.flatnonzero((steps >= low) & (steps <= high))
    if not counts[kept].any():
        return float("inf")
    first, last = kept[0], kept[-1]
    inner = counts[first : last + 1].astype(np.float64)
    levels = np.clip(np.rint(steps[first : last + 1]), -128, 127).astype(np.int64) + 128
    spread = _levelled(inner, levels)
    inner[0] += counts[:first].sum()
    inner[-1] += counts[last + 1 :].sum()
    return _relative_entropy(inner, spread)


def _levelled(counts: np.ndarray, levels: np.ndarray) -> np.ndarray:
    """Each level's counts shared evenly among its bins that are not empty."""
    filled = counts > 0
    mass = np.bincount(levels, weights=counts, minlength=256)
    bins = np.bincount(levels, weights=filled, minlength=256)
    return np.where(filled, mass[levels] / np.maximum(bins[levels], 1), 0.0)


def _relative_entropy(found: np.ndarray, model: np.ndarray) -> float:
    """Infinite mass ratios are kept finite by a tiny share for what the model leaves out."""
    p, q = found / found.sum(), model / model.sum()
    some = p > 0
    return float((p[some] * np.log(p[some] / np.maximum(q[some], 1e-12))).sum())


_COSTS = {Calibration.MSE: squared_error, Calibration.ENTROPY: divergence}

"""Whether equalization and bias correction help this network: tried on samples kept apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np

from deployer.analysis import graph_cost
from deployer.choices import Correction
from deployer.ir import Graph
from deployer.numerics import dequantize, quantize, run
from deployer.quantize.equalize import pairs

_FOLDS = 4
_MAX_SAMPLES, _MAX_MACS = (
    64,
    2 * 10**9,
)  # at most so many samples, and products in one pass over them
_GAIN_DB = 1.0  # dB; less is within what a few samples can tell
_PERFECT_DB = 120.0  # dB stated for an output without noise

Arrays = Mapping[str, np.ndarray]
Prepare = Callable[[bool, Arrays], Callable[[bool], Graph]]


@dataclass(frozen=True)
class Choice:
    """Which of the two corrections are made."""

    equalize: bool
    bias_correction: bool


@dataclass(frozen=True)
class Trial:
    """``sqnr_db``: mean over the outputs, on samples that calibration had not seen."""

    equalize: bool
    bias_correction: bool
    sqnr_db: float


def options_of(
    graph: Graph, equalize: Correction, bias_correction: Correction
) -> tuple[Choice, ...]:
    """What the switches leave open; the default comes first."""
    able = any(True for _ in pairs(graph))
    evened = _values(equalize, default=False) if able else (False,)
    corrected = _values(bias_correction, default=True)
    return tuple(Choice(*both) for both in product(evened, corrected))


def _values(given: Correction, *, default: bool) -> tuple[bool, ...]:
    if given == Correction.AUTO:
        return default, not default
    return (given == Correction.ON,)


def decide(
    graph: Graph, arrays: Arrays, choices: tuple[Choice, ...], prepare: Prepare
) -> tuple[Choice, tuple[Trial, ...]]:
    """The best of ``choices``, the first unless another is clearly better, and how each did.

    ``prepare(equalize, arrays)`` calibrates on the given samples and returns what makes the integer
    graph with or without bias correction.
    """
    if len(choices) == 1:
        return choices[0], ()
    ratios: dict[Choice, list[float]] = {choice: [] for choice in choices}
    for fit, held in folds(few(graph, arrays)):
        for choice, found in _fold(graph, choices, fit, held, prepare):
            ratios[choice].append(found)
    trials = tuple(
        Trial(choice.equalize, choice.bias_correction, float(np.mean(ratios[choice])))
        for choice in choices
    )
    best = max(trials, key=lambda trial: trial.sqnr_db)
    if best.sqnr_db < trials[0].sqnr_db + _GAIN_DB:
        best = trials[0]
    return Choice(best.equalize, best.bias_correction), trials


def few(graph: Graph, arrays: Arrays) -> dict[str, np.ndarray]:
    """As many samples as the network's size allows in about a second a trial."""
    macs = max(1, sum(row.macs for row in graph_cost(graph).nodes))
    limit = min(_MAX_SAMPLES, max(_FOLDS, _MAX_MACS // macs))
    return {name: array[:limit] for name, array in arrays.items()}


def folds(arrays: Arrays) -> Iterator[tuple[dict[str, np.ndarray], dict[str, np.ndarray]]]:
    """Samples to calibrate with and a quarter kept apart, each once; too few serve as both."""
    count = len(next(iter(arrays.values())))
    if count < _FOLDS:
        yield dict(arrays), dict(arrays)
        return
    for fold in range(_FOLDS):
        apart = np.arange(count) % _FOLDS == fold
        fit = {name: array[~apart] for name, array in arrays.items()}
        yield fit, {name: array[apart] for name, array in arrays.items()}


def _fold(
    graph: Graph, choices: tuple[Choice, ...], fit: Arrays, held: Arrays, prepare: Prepare
) -> Iterator[tuple[Choice, float]]:
    expected = run(graph, held)
    for evened in dict.fromkeys(choice.equalize for choice in choices):
        integers = prepare(evened, fit)
        for choice in choices:
            if choice.equalize == evened:
                yield choice, quality(integers(choice.bias_correction), held, expected)


def quality(integer: Graph, held: Arrays, expected: Arrays) -> float:
    """dB, the mean over the outputs."""
    found = outputs(integer, held)
    return float(np.mean([ratio(real, found[name]) for name, real in expected.items()]))


def outputs(integer: Graph, arrays: Arrays) -> dict[str, np.ndarray]:
    """What the integer network gives for float inputs, in real numbers."""
    steps = {name: quantize(x, integer.values[name].q) for name, x in arrays.items()}
    found = run(integer, steps)
    return {name: dequantize(q, integer.values[name].q) for name, q in found.items()}


def ratio(real: np.ndarray, found: np.ndarray) -> float:
    """Signal to noise in dB, at most _PERFECT_DB."""
    noise = float(np.square(found - real, dtype=np.float64).sum())
    signal = float(np.square(real, dtype=np.float64).sum())
    if noise == 0:
        return _PERFECT_DB
    return min(_PERFECT_DB, 10 * float(np.log10(max(signal, 1e-30) / noise)))

"""Which ranges and corrections help this network: tried on samples kept apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

import numpy as np

from deployer.analysis import graph_cost
from deployer.choices import Calibration, Correction
from deployer.ir import Graph
from deployer.numerics import dequantize, quantize, run
from deployer.quantize.equalize import pairs
from deployer.quantize.thresholds import Method

_FOLDS = 4
_MAX_SAMPLES, _MAX_MACS = (
    64,
    2 * 10**9,
)  # at most so many samples, and products in one pass over them
_METHOD_DB, _CORRECTION_DB = 0.5, 1.0  # gains of less are within what a few samples can tell
_PERFECT_DB = 120.0  # dB stated for an output without noise

Arrays = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Choice:
    """How scales are found, and which of the two corrections are made."""

    method: Method
    equalize: bool
    bias_correction: bool


@dataclass(frozen=True)
class Trial:
    """``sqnr_db``: mean over the outputs, on samples that calibration had not seen."""

    calibrate: Calibration
    equalize: bool
    bias_correction: bool
    sqnr_db: float


@dataclass(frozen=True)
class Options:
    """What is left open: methods, and corrections (equalized, biases corrected); defaults first."""

    methods: tuple[Method, ...]
    corrections: tuple[tuple[bool, bool], ...]

    @property
    def first(self) -> Choice:
        return Choice(self.methods[0], *self.corrections[0])


Maker = Callable[[Choice], Graph]
Prepare = Callable[[bool, tuple[Method, ...], Arrays], Maker]


def corrections_of(
    graph: Graph, equalize: Correction, bias_correction: Correction
) -> tuple[tuple[bool, bool], ...]:
    """What the switches leave open; the default comes first."""
    able = any(True for _ in pairs(graph))
    evened = _values(equalize, default=False) if able else (False,)
    return tuple(product(evened, _values(bias_correction, default=True)))


def _values(given: Correction, *, default: bool) -> tuple[bool, ...]:
    if given == Correction.AUTO:
        return default, not default
    return (given == Correction.ON,)


def decide(
    graph: Graph, arrays: Arrays, options: Options, prepare: Prepare
) -> tuple[Choice, tuple[Trial, ...]]:
    """The first of ``options`` unless another is clearly better, and how each did that was tried:
    the methods with the default corrections, then the corrections with the best method.

    ``prepare(equalize, methods, arrays)`` runs the float graph on the given samples and returns
    what makes the integer graph of a choice among these.
    """
    if options == Options(options.methods[:1], options.corrections[:1]):
        return options.first, ()
    trials = _Trials(graph, few(graph, arrays), prepare)
    methods = [replace(options.first, method=method) for method in options.methods]
    best = trials.best(methods, _METHOD_DB)
    corrections = [Choice(best.method, *both) for both in options.corrections]
    return trials.best(corrections, _CORRECTION_DB), trials.told()


@dataclass
class _Trials:
    """Each choice's quality by fold, and what the float graph did on the folds, by their number."""

    graph: Graph
    arrays: Arrays
    prepare: Prepare
    ratios: dict[Choice, list[float]] = field(default_factory=dict)
    expected: dict[int, Arrays] = field(default_factory=dict)
    makers: dict[tuple[int, bool], Maker] = field(default_factory=dict)

    def best(self, choices: list[Choice], gain: float) -> Choice:
        """The first of ``choices`` unless the best gains ``gain`` dB."""
        if len(choices) == 1:
            return choices[0]
        self._run([choice for choice in choices if choice not in self.ratios])
        best = max(choices, key=self._quality)
        return best if self._quality(best) >= self._quality(choices[0]) + gain else choices[0]

    def told(self) -> tuple[Trial, ...]:
        return tuple(
            Trial(
                choice.method.name, choice.equalize, choice.bias_correction, self._quality(choice)
            )
            for choice in self.ratios
        )

    def _quality(self, choice: Choice) -> float:
        return float(np.mean(self.ratios[choice]))

    def _run(self, choices: Sequence[Choice]) -> None:
        self.ratios.update({choice: [] for choice in choices})
        for number, (fit, held) in enumerate(folds(self.arrays)):
            if number not in self.expected:
                self.expected[number] = run(self.graph, held)
            for choice in choices:
                integer = self._maker(number, choice, choices, fit)(choice)
                self.ratios[choice].append(quality(integer, held, self.expected[number]))

    def _maker(self, number: int, choice: Choice, choices: Sequence[Choice], fit: Arrays) -> Maker:
        """Of fold ``number``, for all of ``choices`` whose float graph is that of ``choice``."""
        key = number, choice.equalize
        if key not in self.makers:
            methods = tuple(dict.fromkeys(each.method for each in choices))
            self.makers[key] = self.prepare(choice.equalize, methods, fit)
        return self.makers[key]


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

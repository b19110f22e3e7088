"""Whether equalization and bias correction help this network: tried on samples kept apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np

from deployer.ir.graph import Graph
from deployer.numerics.interpret import dequantize, quantize, run
from deployer.quantize.equalize import pairs

SWITCH = ("auto", "on", "off")
_FIT, _HELD = 48, 16  # samples at most
_GAIN = 0.05  # dB below which the simpler choice stays
_PERFECT = 120.0  # dB stated for an output without noise

Arrays = Mapping[str, np.ndarray]
Build = Callable[["Choice", Arrays], Graph]


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


def options_of(graph: Graph, equalize: str, bias_correction: str) -> tuple[Choice, ...]:
    """What the switches leave open; the default comes first."""
    able = any(True for _ in pairs(graph))
    evened = _values(equalize, default=False) if able else (False,)
    corrected = _values(bias_correction, default=True)
    return tuple(Choice(*both) for both in product(evened, corrected))


def _values(switch: str, *, default: bool) -> tuple[bool, ...]:
    return {"on": (True,), "off": (False,), "auto": (default, not default)}[switch]


def decide(
    graph: Graph, arrays: Arrays, choices: tuple[Choice, ...], build: Build
) -> tuple[Choice, tuple[Trial, ...]]:
    """The best of ``choices``, the first of about equals, and how each did.

    ``build(choice, arrays)`` calibrates an integer graph on the given samples.
    """
    if len(choices) == 1:
        return choices[0], ()
    fit, held = split(arrays)
    expected = run(graph, held)
    trials = tuple(_trials(choices, fit, held, expected, build))
    best = trials[0]
    for trial in trials[1:]:
        if trial.sqnr_db > best.sqnr_db + _GAIN:
            best = trial
    return Choice(best.equalize, best.bias_correction), trials


def split(arrays: Arrays) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Samples to calibrate with and every fourth kept apart; too few serve as both."""
    count = len(next(iter(arrays.values())))
    apart = np.arange(count) % 4 == 3
    if not apart.any():
        return dict(arrays), dict(arrays)
    fit = {name: array[~apart][:_FIT] for name, array in arrays.items()}
    return fit, {name: array[apart][:_HELD] for name, array in arrays.items()}


def _trials(
    choices: tuple[Choice, ...], fit: Arrays, held: Arrays, expected: Arrays, build: Build
) -> Iterator[Trial]:
    for choice in choices:
        integer = build(choice, fit)
        steps = {name: quantize(x, integer.values[name].q) for name, x in held.items()}
        found = run(integer, steps)
        ratios = [
            _ratio(real, dequantize(found[name], integer.values[name].q))
            for name, real in expected.items()
        ]
        yield Trial(choice.equalize, choice.bias_correction, float(np.mean(ratios)))


def _ratio(real: np.ndarray, found: np.ndarray) -> float:
    """dB, at most _PERFECT."""
    noise = float(np.square(found - real, dtype=np.float64).sum())
    signal = float(np.square(real, dtype=np.float64).sum())
    if noise == 0:
        return _PERFECT
    return min(_PERFECT, 10 * float(np.log10(max(signal, 1e-30) / noise)))

"""The search for widths on a network: what its trials measure, and on which samples."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from deployer.analysis import lifetimes, live_peak
from deployer.ir import DType, Graph
from deployer.numerics import run
from deployer.quantize.calibrate import Progress
from deployer.quantize.goal import Goal
from deployer.quantize.mixed import Quality, Search, Wide, WidthSearch, moves_of
from deployer.quantize.plan import Plan, integers, rounder_of
from deployer.quantize.stated import owners
from deployer.quantize.tune import Choice, few, folds, outputs, ratio
from deployer.quantize.widths import Typed, typed, widened

_LABEL = "search widths"


def search_widths(
    plan: Plan,
    choice: Choice,
    arrays: Mapping[str, np.ndarray],
    goal: Goal,
    *,
    ram: Callable[[Graph], int],
    progress: Progress,
) -> WidthSearch:
    """What is int16 besides ``plan.wide`` so that ``goal`` is met.

    Scales come from three quarters of at most 64 samples, the quality from the last quarter.
    """
    fit, held = next(folds(few(plan.graph, arrays)))
    measure = measured(plan, choice, fit, held)
    own = sorted(owners(plan.graph))
    moves = moves_of(own, lambda name: widened(plan.graph, name), plan.locked)
    search = Search(
        goal,
        moves,
        measure=lambda wide: told(measure(wide)),
        ram=lambda wide: ram(graph_of_types(typed(plan.graph, wide))),
    )

    def told(found: Quality) -> Quality:
        progress(_LABEL, min(len(search.trials), len(moves)), len(moves) + 1)
        return found

    result = search.run(plan.wide)
    progress(_LABEL, len(moves) + 1, len(moves) + 1)
    return result


def measured(
    plan: Plan, choice: Choice, fit: Mapping[str, np.ndarray], held: Mapping[str, np.ndarray]
) -> Callable[[Wide], Quality]:
    """What the outputs for ``held`` are worth with some activations wide, by scales of ``fit``."""
    seen = plan.observe(choice, fit)
    corrected = choice.bias_correction
    rounder = rounder_of(seen.graph, fit, corrected)
    expected = run(plan.graph, held)

    def measure(wide: Wide) -> Quality:
        graph = integers(seen, typed(seen.graph, wide), corrected, rounder).graph
        return quality_of(expected, outputs(graph, held))

    return measure


def quality_of(expected: Mapping[str, np.ndarray], found: Mapping[str, np.ndarray]) -> Quality:
    """Means over the outputs."""
    decibels = [ratio(real, found[name]) for name, real in expected.items()]
    same = [(_largest(real) == _largest(found[name])).mean() for name, real in expected.items()]
    noise = np.mean([10 ** (-each / 10) for each in decibels])
    return Quality(float(noise), float(np.mean(decibels)), float(np.mean(same)))


def _largest(scores: np.ndarray) -> np.ndarray:
    largest: np.ndarray = scores.reshape(len(scores), -1).argmax(axis=1)
    return largest


def graph_of_types(target: Typed) -> Graph:
    """The graph with the element type each activation will have."""
    kinds = {8: DType.S8, 16: DType.S16}
    values = dict(target.graph.values)
    for name, bits in target.bits.items():
        values[name] = replace(values[name], dtype=kinds[bits])
    return replace(target.graph, values=values)


def live_bytes(graph: Graph) -> int:
    """The most bytes of activations alive in one step."""
    return live_peak(lifetimes(graph)).bytes

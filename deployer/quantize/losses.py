"""Where int8 loses most of a network's quality, and what int16 there would gain and cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from deployer.ir import Graph
from deployer.quantize.plan import Plan
from deployer.quantize.report import ActivationReport, OutputReport, QuantReport
from deployer.quantize.search_widths import graph_of_types, measured
from deployer.quantize.stated import owners
from deployer.quantize.tune import Choice, few, folds
from deployer.quantize.widths import typed, widened
from deployer.units import format_bytes

POOR_DB = 20.0
_TOLD, _TRIED = 3, 6  # activations that are named, and whose width is tried
_NO_NOISE_DB = 120.0


@dataclass(frozen=True)
class Loss:
    """``before``: dB of the worst that the activation is made of; ``after``: its own."""

    activation: str
    before: float
    after: float

    @property
    def noise(self) -> float:
        """What is added, as a share of the signal."""
        return float(10 ** (-self.after / 10) - 10 ** (-self.before / 10))


def is_poor(outputs: Sequence[OutputReport]) -> bool:
    """Whether an output has less than POOR_DB dB."""
    found = [output.sqnr_db for output in outputs if output.sqnr_db is not None]
    return min(found, default=POOR_DB) < POOR_DB


def losses(graph: Graph, reports: Sequence[ActivationReport]) -> tuple[Loss, ...]:
    """Of the activations of float ``graph`` with a scale of their own, most added noise first."""
    ratio = {each.name: _NO_NOISE_DB if each.sqnr_db is None else each.sqnr_db for each in reports}
    names = sorted(owners(graph) & set(ratio))
    found = [Loss(name, _read(graph, name, ratio), ratio[name]) for name in names]
    return tuple(sorted(found, key=lambda loss: -loss.noise))


def _read(graph: Graph, name: str, ratio: Mapping[str, float]) -> float:
    maker = graph.producer.get(name)
    inputs = maker.inputs if maker else ()
    return min((ratio[each] for each in inputs if each in ratio), default=_NO_NOISE_DB)


def loss_note(
    plan: Plan,
    choice: Choice,
    arrays: Mapping[str, np.ndarray],
    report: QuantReport,
    ram: Callable[[Graph], int],
) -> str:
    """Which activations lose most and what int16 would do for the best of them, tried on samples
    that calibration had not seen. ``ram``: the arena in bytes of a graph with its types."""
    reports = (*report.inputs, *(layer.output for layer in report.layers))
    found = losses(plan.graph, reports)[:_TOLD]
    fit, held = next(folds(few(plan.graph, arrays)))
    measure = measured(plan, choice, fit, held)
    before, bytes_before = measure(plan.wide), _arena(plan, plan.wide, ram)
    wides = {name: widened(plan.graph, name) for name in _suspects(plan.graph, found)}
    worth = {name: measure(plan.wide | wide).sqnr_db for name, wide in wides.items()}
    best = max(worth, key=lambda name: worth[name])
    added = _arena(plan, plan.wide | wides[best], ram) - bytes_before
    options = " ".join(f"--bits-of {name}=16" for name in sorted(wides[best]))
    return (
        f"int8 leaves less than {POOR_DB:g} dB of the outputs; most is lost at "
        f"{', '.join(_told(found))}. int16 for {best} ({options}) would bring "
        f"{before.sqnr_db:.1f} to {worth[best]:.1f} dB on samples kept apart, for "
        f"{format_bytes(max(added, 0))} more of arena; --mixed sqnr={POOR_DB:g} searches for more"
    )


def _suspects(graph: Graph, found: Sequence[Loss]) -> list[str]:
    """What has lost most, and what it is made of: a layer also loses by what it reads, where
    channels that it weighs most have the fewest steps."""
    names: dict[str, None] = {}
    for loss in found:
        maker = graph.producer.get(loss.activation)
        read = [] if maker is None else [n for n in maker.inputs if n not in graph.constants]
        names.update(dict.fromkeys([loss.activation, *(_owner(graph, name) for name in read)]))
    return list(names)[:_TRIED]


def _owner(graph: Graph, name: str) -> str:
    """The activation whose scale ``name`` has."""
    own = owners(graph)
    while name not in own:
        name = graph.producer[name].inputs[0]
    return name


def _told(found: Sequence[Loss]) -> Iterator[str]:
    for loss in found:
        yield f"{loss.activation} ({loss.before:.1f} to {loss.after:.1f} dB)"


def _arena(plan: Plan, wide: frozenset[str], ram: Callable[[Graph], int]) -> int:
    return ram(graph_of_types(typed(plan.graph, wide)))

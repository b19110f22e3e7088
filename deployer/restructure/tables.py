"""Tables 2.8 and 2.9 of paper 001 with ours beside them: shapes only, the input counted."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from deployer.analysis import lifetimes, live_peak
from deployer.ir import DType, Graph
from deployer.restructure.algorithm3 import SLICES, sweep
from deployer.restructure.cost import added_macs, macs_only
from deployer.restructure.joined import joined_bytes
from deployer.restructure.plan import Planner, Restructured

Slices = tuple[tuple[int, int], ...]
NONE_ADDED_SHARE = 0.0005  # of the MACs: calls count as one each
CAP_SHARE = 0.05


@dataclass(frozen=True)
class Setting:
    """Of Algorithm 3; ``slices`` are row and column pieces."""

    alpha: float
    slices: tuple[int, int]


@dataclass(frozen=True)
class Figure:
    """``saving`` and ``added`` (MACs) in percent of the plain schedule's."""

    saving: float
    added: float
    setting: Setting | None = None


@dataclass(frozen=True)
class Ours:
    """The planner's figures; ``plain`` and ``smallest`` in bytes, ``cpu_s`` of its search."""

    none_added: Figure
    capped: Figure
    streamed_input: Figure
    plain: int
    smallest: int
    cpu_s: float


@dataclass(frozen=True)
class Row:
    """``algorithm3`` has the paper's split and concat operators and its slices; ``windows`` is how
    it runs here."""

    network: str
    paper: Figure
    algorithm3: Figure
    windows: Figure
    ours: Ours


TABLE_2_8: Mapping[str, Figure] = {
    "vgg16": Figure(67.5, 1.1, Setting(0.4, (2, 2))),
    "mobilenetv2": Figure(60.5, 3.0, Setting(0.3, (2, 2))),
    "squeezenet1.1": Figure(48.4, 3.1, Setting(0.2, (2, 2))),
    "resnet18": Figure(41.6, 11.9, Setting(0.4, (2, 2))),
    "inception-v3": Figure(53.5, 1.4, Setting(0.6, (2, 2))),
}
TABLE_2_9: Mapping[str, Figure] = {
    "vgg16": Figure(75.0, 2.3, Setting(0.4, (2, 4))),
    "mobilenetv2": Figure(77.3, 7.8, Setting(0.3, (3, 4))),
    "squeezenet1.1": Figure(48.4, 3.1, Setting(0.2, (2, 2))),
    "resnet18": Figure(48.8, 25.7, Setting(0.4, (3, 3))),
    "inception-v3": Figure(64.9, 3.9, Setting(0.6, (3, 3))),
}
NETWORKS = tuple(TABLE_2_8)


def tables(graphs: Mapping[str, Graph]) -> tuple[tuple[Row, ...], tuple[Row, ...]]:
    """Table 2.8, 2 by 2 slices and the best alpha; table 2.9, for that alpha the paper's slices and
    in windows the best. The last row of each is the average.

    ``graphs``: NETWORKS by name, float or int8.
    """
    studies = {name: _Study(as_int8(graph)) for name, graph in graphs.items()}
    first = [study.row(name, TABLE_2_8[name], ((2, 2),)) for name, study in studies.items()]
    second = [study.row(name, TABLE_2_9[name], SLICES) for name, study in studies.items()]
    return _with_average(first), _with_average(second)


def as_int8(graph: Graph) -> Graph:
    """A float graph with activations of a byte an element: right for shapes, not to be run."""
    values = {
        name: value if name in graph.constants else replace(value, dtype=DType.S8)
        for name, value in graph.values.items()
    }
    return replace(graph, values=values)


@dataclass(frozen=True, eq=False)
class _Study:
    """A network, and what both tables state of it."""

    graph: Graph

    def row(self, name: str, paper: Figure, slices: Slices) -> Row:
        algorithm3 = self._swept(self._joined_alpha, (_slices(paper),), joined_bytes)
        windows = self._swept(self._windows_alpha, slices, _live_bytes)
        return Row(name, paper, algorithm3, windows, self.ours)

    @cached_property
    def ours(self) -> Ours:
        graph, start = self.graph, time.process_time()
        planner = Planner(graph, macs_only)
        plain = planner.plain.arena
        none, capped = planner.smallest(added=NONE_ADDED_SHARE), planner.smallest(added=CAP_SHARE)
        spent = time.process_time() - start
        rows = Planner(graph, macs_only, stream_input=True).smallest(added=NONE_ADDED_SHARE)
        without, with_some, by_rows = (_planned(plain, plan) for plan in (none, capped, rows))
        return Ours(without, with_some, by_rows, plain, capped.arena, spent)

    @cached_property
    def _joined_alpha(self) -> float:
        return sweep(self.graph, count=joined_bytes).alpha

    @cached_property
    def _windows_alpha(self) -> float:
        return sweep(self.graph, count=_live_bytes).alpha

    def _swept(self, alpha: float, slices: Slices, count: Callable[[Graph], int]) -> Figure:
        best = sweep(self.graph, alphas=(alpha,), slices=slices, count=count)
        saved = 1 - best.bytes / _live_bytes(self.graph)
        setting = Setting(best.alpha, best.slices)
        return Figure(_percent(saved), _percent(added_macs(best.graph)), setting)


def _slices(figure: Figure) -> tuple[int, int]:
    return figure.setting.slices if figure.setting else (2, 2)


def _live_bytes(graph: Graph) -> int:
    return live_peak(lifetimes(graph)).bytes


def _planned(plain: int, plan: Restructured) -> Figure:
    return Figure(_percent(1 - plan.arena / plain), _percent(plan.added_macs))


def _percent(fraction: float) -> float:
    return round(100 * fraction, 1)


def _with_average(rows: list[Row]) -> tuple[Row, ...]:
    if not rows:
        return ()
    average = Row(
        network="average",
        paper=_mean([row.paper for row in rows]),
        algorithm3=_mean([row.algorithm3 for row in rows]),
        windows=_mean([row.windows for row in rows]),
        ours=_mean_of([row.ours for row in rows]),
    )
    return (*rows, average)


def _mean(figures: list[Figure]) -> Figure:
    saving, added = (sum(f.saving for f in figures), sum(f.added for f in figures))
    return Figure(round(saving / len(figures), 1), round(added / len(figures), 1))


def _mean_of(found: list[Ours]) -> Ours:
    return Ours(
        none_added=_mean([ours.none_added for ours in found]),
        capped=_mean([ours.capped for ours in found]),
        streamed_input=_mean([ours.streamed_input for ours in found]),
        plain=sum(ours.plain for ours in found) // len(found),
        smallest=sum(ours.smallest for ours in found) // len(found),
        cpu_s=sum(ours.cpu_s for ours in found) / len(found),
    )

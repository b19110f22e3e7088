"""Tables 2.8 and 2.9 of paper 001 with ours beside them: shapes only, the input counted."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from deployer.analysis.liveness import lifetimes
from deployer.analysis.peak import live_peak
from deployer.ir.graph import Graph
from deployer.ir.types import DType
from deployer.restructure.alg3 import SLICES, Swept, sweep
from deployer.restructure.cost import added_macs, macs_only
from deployer.restructure.joined import joined_bytes
from deployer.restructure.plan import Planner, Restructured

Slices = tuple[tuple[int, int], ...]
NONE_ADDED = 0.0005  # of the MACs: calls count as one each
CAP = 0.05


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
class Row:
    """``plain`` and ``smallest`` arenas in bytes; ``cpu_s`` is that of the planner's search.

    ``algorithm3`` has the paper's split and concat operators and its slices; ``windows`` is how it
    runs here.
    """

    network: str
    paper: Figure
    algorithm3: Figure
    windows: Figure
    none_added: Figure
    capped: Figure
    streamed_input: Figure
    plain: int
    smallest: int
    cpu_s: float


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


def table_2_8(graphs: Mapping[str, Graph]) -> tuple[Row, ...]:
    """2 by 2 slices, the best alpha; the last row is the average.

    ``graphs``: NETWORKS by name, float or int8.
    """
    return _with_average([_row(graphs[name], TABLE_2_8[name], name, ((2, 2),)) for name in graphs])


def table_2_9(graphs: Mapping[str, Graph]) -> tuple[Row, ...]:
    """For the alpha of table 2.8 the paper's slices, in windows the best."""
    return _with_average([_row(graphs[name], TABLE_2_9[name], name, SLICES) for name in graphs])


def as_int8(graph: Graph) -> Graph:
    """A float graph with activations of a byte an element: right for shapes, not to be run."""
    values = {
        name: value if name in graph.constants else replace(value, dtype=DType.S8)
        for name, value in graph.values.items()
    }
    return replace(graph, values=values)


def _row(graph: Graph, paper: Figure, name: str, slices: Slices) -> Row:
    graph, start = as_int8(graph), time.process_time()
    planner = Planner(graph, macs_only)
    plain = planner.plain.arena
    none, capped = planner.smallest(added=NONE_ADDED), planner.smallest(added=CAP)
    spent = time.process_time() - start
    rows = Planner(graph, macs_only, stream_input=True).smallest(added=NONE_ADDED)
    return Row(
        network=name,
        paper=paper,
        algorithm3=_swept(graph, _alg3(graph, (_slices(paper),), joined_bytes)),
        windows=_swept(graph, _alg3(graph, slices, _live_bytes)),
        none_added=_planned(plain, none),
        capped=_planned(plain, capped),
        streamed_input=_planned(plain, rows),
        plain=plain,
        smallest=capped.arena,
        cpu_s=spent,
    )


def _alg3(graph: Graph, slices: Slices, count: Callable[[Graph], int]) -> Swept:
    alpha = sweep(graph, count=count).alpha
    return sweep(graph, alphas=(alpha,), slices=slices, count=count)


def _slices(figure: Figure) -> tuple[int, int]:
    return figure.setting.slices if figure.setting else (2, 2)


def _live_bytes(graph: Graph) -> int:
    return live_peak(lifetimes(graph)).bytes


def _swept(graph: Graph, best: Swept) -> Figure:
    saved, setting = 1 - best.bytes / _live_bytes(graph), Setting(best.alpha, best.slices)
    return Figure(_percent(saved), _percent(added_macs(best.graph)), setting)


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
        none_added=_mean([row.none_added for row in rows]),
        capped=_mean([row.capped for row in rows]),
        streamed_input=_mean([row.streamed_input for row in rows]),
        plain=sum(row.plain for row in rows) // len(rows),
        smallest=sum(row.smallest for row in rows) // len(rows),
        cpu_s=sum(row.cpu_s for row in rows) / len(rows),
    )
    return (*rows, average)


def _mean(figures: list[Figure]) -> Figure:
    saving, added = (sum(f.saving for f in figures), sum(f.added for f in figures))
    return Figure(round(saving / len(figures), 1), round(added / len(figures), 1))

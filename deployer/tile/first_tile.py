"""What a step in tiles finds in the innermost memory when it begins.

Arguments and the first weights can be fetched while the step before still computes, and an output
that the step before made in one tile need not be loaded again. That needs bytes that neither
step needs for something else, so arrays are moved to where such bytes are, and a step may run in
one tile for the sake of its neighbours.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from deployer.ir import Graph, Node, StepTiles, TileCosts, Tiling, input_name
from deployer.tile.beside import MAX_DISTANCE, Neighbours, candidates, early_cycles
from deployer.tile.search import Room
from deployer.tile.transfer import Run

LEAST_SAVED = 200  # cycles of a store that are worth what it takes to do it late


def with_prefetch(
    options: Iterable[Sequence[StepTiles]],
    graph: Graph,
    room: Room,
    waiting: Set[str] = frozenset(),
) -> tuple[StepTiles, ...]:
    """Of each step's ``options`` the one with which all of them together take the fewest estimated
    cycles, its arrays moved to where they save most. ``waiting``: nodes whose weights come from
    the outer memory as late as their step, so that no time is saved by loading them earlier."""
    chain = _Chain({node.name: node for node in graph.nodes}, graph, room, waiting)
    paths = [_Path()]
    for steps in options:
        ends = ([chain.behind(path, step) for path in paths] for step in steps)
        paths = [min(each, key=lambda path: path.cycles) for each in ends]
    return min(paths, key=lambda path: path.cycles).steps


@dataclass(frozen=True)
class _Path:
    """``steps`` so far, of one choice each, their cycles, the last of them in tiles, and what
    that one has before it where the next may be prefetched beside both."""

    steps: tuple[StepTiles, ...] = ()
    cycles: int = 0
    last: tuple[Node, Tiling] | None = None
    older: tuple[Tiling, ...] = ()


@dataclass(frozen=True)
class _Chain:
    nodes: Mapping[str, Node]
    graph: Graph
    room: Room
    waiting: Set[str]

    def behind(self, path: _Path, step: StepTiles) -> _Path:
        """``path`` and ``step``, which begins with what the last one leaves."""
        tiling, node = step.tiling, self.nodes[step.node]
        if tiling is None:
            return replace(path, steps=(*path.steps, step))
        if path.last is not None:
            kept = _kept(self.graph, *path.last, node, tiling)
            before = path.last[1]
            early = node.name not in self.waiting
            neighbours = Neighbours(before, path.older)
            tiling = _best(candidates(tiling, neighbours, kept), neighbours, self.room, early=early)
        if tiling.kept and path.last is not None and self._reads_once(node, path.last[0].output):
            path = self._stored_late(path, tiling)
        path = self._prefetching_first(path, tiling)
        steps = *path.steps, replace(step, tiling=tiling)
        passed: tuple[Tiling, ...] = ()
        if path.last is not None and tiling.prefetched and tiling.count == 1:
            passed = (path.last[1], *path.older)[: MAX_DISTANCE - 1]
        return _Path(steps, path.cycles + tiling.costs.cycles, (node, tiling), passed)

    def _prefetching_first(self, path: _Path, tiling: Tiling) -> _Path:
        """``path`` whose last step, of one tile, gives the engine its commands for ``tiling``
        before it calls its own kernel, where those transfers take longer than that one."""
        if path.last is None or not tiling.prefetched or path.last[1].count > 1:
            return path
        *before, maker = path.steps
        made = maker.tiling
        if made is None or early_cycles(tiling, self.room) <= made.costs.compute:
            return path
        first = replace(made, costs=replace(made.costs, early=True))
        return replace(path, steps=(*before, replace(maker, tiling=first)))

    def _reads_once(self, node: Node, value: str) -> bool:
        """Not as another operand too, which is loaded from where it may not be yet."""
        return self.graph.activations(node).count(value) == 1

    def _stored_late(self, path: _Path, tiling: Tiling) -> _Path:
        """``path`` whose last step is written back beside the one that keeps its output; unless
        another stands between them, which may read it, or the store is short and the other one
        waits for its own transfers anyway."""
        *before, maker = path.steps
        made = maker.tiling
        if made is None:
            return path
        saved = round(self.room.engine.store(Run(1, 1, made.costs.bytes_out // made.count)))
        if saved < LEAST_SAVED and not tiling.prefetched:
            return path
        costs = replace(
            made.costs,
            cycles=made.costs.cycles - saved,
            waiting=max(0, made.costs.waiting - saved),
        )
        late = replace(maker, tiling=replace(made, costs=costs, late=True))
        return replace(path, steps=(*before, late), cycles=path.cycles - saved)


def _best(
    candidates: Iterable[Tiling], neighbours: Neighbours, room: Room, *, early: bool
) -> Tiling:
    """The candidate of fewest estimated cycles of those that fit, behind a step in tiles.
    ``early``: whether weights are there before their step."""
    fitting = (
        replace(each, costs=_costs(each, neighbours, room, early=early))
        for each in candidates
        if each.end <= room.size
    )
    return min(fitting, key=lambda tiling: tiling.costs.cycles)


def _kept(graph: Graph, maker: Node, made: Tiling, node: Node, tiling: Tiling) -> str:
    """The array of ``tiling`` that could lie where ``made`` has its output; "" for none."""
    values = graph.activations(node)
    if (
        (made.count > 1 and not made.gathered)
        or maker.output not in values
        or tiling.rows.count * tiling.columns.count > 1
    ):
        return ""
    sides = tiling.columns.cut(0)
    if node.op == "Conv2d" and (sides.before or sides.after):
        return ""  # its kernel may have zero points beside the rows
    name = input_name(values.index(maker.output))
    entry, output = tiling.buffer(name), made.buffer("output")
    return name if entry.sides == 1 and entry.size == output.size else ""  # one side: loaded once


def _costs(tiling: Tiling, neighbours: Neighbours, room: Room, *, early: bool) -> TileCosts:
    """Less what nothing waits for any longer: of weights what the last tile of the step before and
    the start of this one hide."""
    saved = 0
    if tiling.prefetched and early:
        hidden = neighbours.hidden(tiling.distance, room)
        saved = min(early_cycles(tiling, room), hidden)
    if tiling.kept:
        saved += round(room.engine.load(Run(1, 1, tiling.buffer(tiling.kept).size)))
    costs = tiling.costs
    inside = costs.bytes_in - (tiling.buffer(tiling.kept).size if tiling.kept else 0)
    return replace(
        costs,
        cycles=costs.cycles - saved,
        waiting=max(0, costs.waiting - saved),
        bytes_in=max(0, inside),
    )

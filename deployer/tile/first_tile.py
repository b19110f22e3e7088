"""What a step in tiles finds in the innermost memory when it begins.

Arguments and the first weights can be fetched while the step before still computes, and an output
that the step before made in one tile need not be loaded again. That needs bytes that neither
step needs for something else, so arrays are moved to where such bytes are, and a step may run in
one tile for the sake of its neighbours.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from deployer.ir import Graph, Node, StepTiles, TileBuffer, TileCosts, Tiling, input_name
from deployer.tile.estimate import Timeline
from deployer.tile.layer import Layer
from deployer.tile.memory import buffers_of, bytes_of
from deployer.tile.search import Room, tiling_of
from deployer.tile.sizes import is_safe
from deployer.tile.transfer import Run

PREFETCHED = ("turns", "weights", "table")  # arrays of what no other step writes
Span = tuple[int, int]
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
    """``steps`` so far, of one choice each, their cycles, and the last of them in tiles."""

    steps: tuple[StepTiles, ...] = ()
    cycles: int = 0
    last: tuple[Node, Tiling] | None = None


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
            tiling = _best(_candidates(tiling, before, kept), before, self.room, early=early)
        if tiling.kept and path.last is not None and self._reads_once(node, path.last[0].output):
            path = self._stored_late(path, tiling)
        steps = *path.steps, replace(step, tiling=tiling)
        return _Path(steps, path.cycles + tiling.costs.cycles, (node, tiling))

    def _reads_once(self, node: Node, value: str) -> bool:
        """Not as another operand too, which is loaded from where it may not be yet."""
        return self.graph.activations(node).count(value) == 1

    def _stored_late(self, path: _Path, tiling: Tiling) -> _Path:
        """``path`` whose last step is written back beside the one that keeps its output; unless
        another stands between them, which may read it, or neither waits for the other."""
        *before, maker = path.steps
        made = maker.tiling
        if made is None:
            return path
        saved = round(self.room.engine.store(Run(1, 1, made.costs.bytes_out)))
        if saved < LEAST_SAVED and _early_cycles(tiling, self.room) > made.costs.compute:
            return path
        costs = replace(
            made.costs,
            cycles=made.costs.cycles - saved,
            waiting=max(0, made.costs.waiting - saved),
        )
        late = replace(maker, tiling=replace(made, costs=costs, late=True))
        return replace(path, steps=(*before, late), cycles=path.cycles - saved)


def whole_tiling(layer: Layer, room: Room) -> Tiling | None:
    """The step in one tile; None when it does not fit, or would overwrite what it reads."""
    rows, columns, channels = layer.extents
    axes = layer.rows(rows), layer.columns(columns), layer.channels(channels)
    fits = bytes_of(buffers_of(layer, axes, channels_inner=True)) <= room.size
    if not fits or not is_safe(layer, axes, channels_inner=True):
        return None
    line = Timeline(layer, axes, True, room.engine)
    return tiling_of(layer, room, axes, True, line.costs)


def _best(candidates: Iterable[Tiling], before: Tiling, room: Room, *, early: bool) -> Tiling:
    """The candidate of fewest estimated cycles of those that fit, behind a step in tiles.
    ``early``: whether weights are there before their step."""
    fitting = (
        replace(each, costs=_costs(each, before, room, early=early))
        for each in candidates
        if each.end <= room.size
    )
    return min(fitting, key=lambda tiling: tiling.costs.cycles)


def _kept(graph: Graph, maker: Node, made: Tiling, node: Node, tiling: Tiling) -> str:
    """The array of ``tiling`` that could lie where ``made`` has its output; "" for none."""
    values = graph.activations(node)
    if made.count > 1 or maker.output not in values or tiling.rows.count * tiling.columns.count > 1:
        return ""
    sides = tiling.columns.cut(0)
    if node.op == "Conv2d" and (sides.before or sides.after):
        return ""  # its kernel may have zero points beside the rows
    name = input_name(values.index(maker.output))
    entry, output = tiling.buffer(name), made.buffer("output")
    return name if entry.sides == 1 and entry.size == output.size else ""  # one side: loaded once


def _candidates(tiling: Tiling, before: Tiling, kept: str) -> Iterator[Tiling]:
    for prefetched in (True, False):
        for name in dict.fromkeys((kept, "")):
            if prefetched or name:
                yield _placed(tiling, before, prefetched=prefetched, kept=name)
    yield tiling


def _placed(tiling: Tiling, before: Tiling, *, prefetched: bool, kept: str) -> Tiling:
    """The arrays that are there early beside those of ``before``; what is kept where it lies."""
    spans = list(before.busy_at_end) if prefetched else []
    placed: dict[str, TileBuffer] = {}
    if kept:
        placed[kept] = replace(tiling.buffer(kept), offset=before.buffer("output").offset)
    for buffer in sorted(tiling.buffers, key=lambda b: b.id not in PREFETCHED):
        if buffer.id != kept:
            taken = [(other.offset, other.end) for other in placed.values()]
            early = spans if buffer.id in PREFETCHED else []
            placed[buffer.id] = _place(buffer, taken, early)
    moved = tuple(placed[buffer.id] for buffer in tiling.buffers)
    return replace(tiling, buffers=moved, prefetched=prefetched, kept=kept)


def _place(buffer: TileBuffer, taken: list[Span], early: list[Span]) -> TileBuffer:
    """At the lowest offset where all of it avoids ``taken``, and what is filled first ``early``:
    of weights one side."""
    first = buffer.size * (buffer.sides if buffer.id == "turns" else 1)
    ends = sorted({0, *(end for _, end in (*taken, *early))})  # behind the last of them is room
    return replace(
        buffer,
        offset=next(
            offset
            for offset in ends
            if _free(offset, offset + buffer.sides * buffer.size, taken)
            and _free(offset, offset + first, early)
        ),
    )


def _free(begin: int, end: int, spans: list[Span]) -> bool:
    return all(end <= other[0] or begin >= other[1] for other in spans)


def _early_cycles(tiling: Tiling, room: Room) -> int:
    """Of the transfers of what no other step writes, less the arguments."""
    sizes = (buffer.size for buffer in tiling.buffers if buffer.id in PREFETCHED[1:])
    return sum(round(room.engine.load(Run(1, 1, size))) for size in sizes)


def _costs(tiling: Tiling, before: Tiling, room: Room, *, early: bool) -> TileCosts:
    """Less what nothing waits for any longer: of weights what the last tile of the step before and
    the start of this one hide."""
    saved = 0
    if tiling.prefetched and early:
        hidden = before.costs.compute // before.count + round(room.engine.control.step)
        saved = min(_early_cycles(tiling, room), hidden)
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

"""What a step in tiles finds in the innermost memory when it begins.

Arguments and the first weights can be fetched while the step before still computes, and an output
that the step before made in one tile need not be loaded again. That asks for bytes that neither
step needs for something else, so arrays are moved to where such bytes are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from deployer.ir.graph import Graph, Node
from deployer.ir.plan import StepTiles
from deployer.ir.tiling import TileBuffer, TileCosts, Tiling
from deployer.tile.memory import input_name
from deployer.tile.search import Room
from deployer.tile.transfer import Run

EARLY = ("turns", "weights", "table")  # arrays of what no other step writes
Span = tuple[int, int]


def begun_early(
    steps: Iterable[StepTiles], graph: Graph, room: Room, *, late: Collection[str]
) -> tuple[StepTiles, ...]:
    """``steps`` with arrays moved so that each finds what saves it most cycles. ``late``: nodes
    whose weights are themselves fetched, so that they may not be there yet."""
    nodes = {node.name: node for node in graph.nodes}
    found: list[StepTiles] = []
    before: tuple[Node, Tiling] | None = None
    for step in steps:
        tiling = step.tiling
        if tiling is not None:
            node = nodes[step.node]
            if before is not None:
                kept = _kept(graph, *before, node, tiling)
                ways = _ways(tiling, before[1], kept, able=step.node not in late)
                tiling = _best(ways, room)
            before = node, tiling
        found.append(replace(step, tiling=tiling))
    return tuple(found)


def _best(ways: Iterable[Tiling], room: Room) -> Tiling:
    """The way of fewest estimated cycles of those that fit."""
    fitting = (replace(t, costs=_costs(t, room)) for t in ways if t.end <= room.size)
    return min(fitting, key=lambda tiling: tiling.costs.cycles)


def _kept(graph: Graph, maker: Node, made: Tiling, node: Node, tiling: Tiling) -> str:
    """The array of ``tiling`` that could lie where ``made`` has its output; "" for none."""
    values = graph.activations(node)
    if made.count > 1 or maker.output not in values or tiling.rows.count * tiling.columns.count > 1:
        return ""
    name = input_name(values.index(maker.output))
    once = not tiling.sliced or tiling.channels.count == 1
    entry, output = tiling.buffer(name), made.buffer("output")
    return name if once and entry.sides == 1 and entry.size == output.size else ""


def _ways(tiling: Tiling, before: Tiling, kept: str, *, able: bool) -> Iterator[Tiling]:
    for ahead in (True, False) if able else (False,):
        for name in dict.fromkeys((kept, "")):
            if ahead or name:
                yield _placed(tiling, before, ahead=ahead, kept=name)
    yield tiling


def _placed(tiling: Tiling, before: Tiling, *, ahead: bool, kept: str) -> Tiling:
    """The arrays that are there early beside those of ``before``; what is kept where it lies."""
    spans = [(b.offset, b.end) for b in before.buffers] if ahead else []
    placed: dict[str, TileBuffer] = {}
    if kept:
        placed[kept] = replace(tiling.buffer(kept), offset=before.buffer("output").offset)
    for buffer in sorted(tiling.buffers, key=lambda b: b.id not in EARLY):
        if buffer.id != kept:
            taken = [(other.offset, other.end) for other in placed.values()]
            early = spans if buffer.id in EARLY else []
            placed[buffer.id] = _place(buffer, taken, early)
    moved = tuple(placed[buffer.id] for buffer in tiling.buffers)
    return replace(tiling, buffers=moved, ahead=ahead, kept=kept)


def _place(buffer: TileBuffer, taken: list[Span], early: list[Span]) -> TileBuffer:
    """At the lowest offset where all of it avoids ``taken``, and what is filled first ``early``:
    of weights one side."""
    first = buffer.size * (buffer.sides if buffer.id == "turns" else 1)
    for offset in sorted({0, *(end for _, end in (*taken, *early))}):
        free = _free(offset, offset + buffer.sides * buffer.size, taken)
        if free and _free(offset, offset + first, early):
            return replace(buffer, offset=offset)
    raise AssertionError("behind the last of them is room")


def _free(begin: int, end: int, spans: list[Span]) -> bool:
    return all(end <= other[0] or begin >= other[1] for other in spans)


def _costs(tiling: Tiling, room: Room) -> TileCosts:
    """Less what nothing waits for any longer."""
    sizes = [b.size for b in tiling.buffers if b.id in EARLY[1:]] if tiling.ahead else []
    if tiling.kept:
        sizes.append(tiling.buffer(tiling.kept).size)
    saved = sum(round(room.engine.load(Run(1, 1, size))) for size in sizes)
    costs = tiling.costs
    inside = costs.bytes_in - (tiling.buffer(tiling.kept).size if tiling.kept else 0)
    return replace(
        costs,
        cycles=costs.cycles - saved,
        waiting=max(0, costs.waiting - saved),
        bytes_in=max(0, inside),
    )

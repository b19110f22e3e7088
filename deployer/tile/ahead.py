"""Steps whose arguments and first weights are fetched while the step before still computes.

That asks for nothing but bytes of the innermost memory that the step before does not use, so arrays
are moved there where such bytes are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from deployer.ir.plan import StepTiles
from deployer.ir.tiling import TileBuffer, TileCosts, Tiling
from deployer.tile.search import Room
from deployer.tile.transfer import Run

EARLY = ("turns", "weights", "table")  # arrays of what no other step writes
Span = tuple[int, int]


def fetched_ahead(
    steps: Iterable[StepTiles], room: Room, *, late: Collection[str]
) -> tuple[StepTiles, ...]:
    """``steps`` with arrays moved so that as many as can be are fetched ahead. ``late``: nodes
    whose weights are themselves fetched, so that they may not be there yet."""
    found: list[StepTiles] = []
    before: Tiling | None = None
    for step in steps:
        if step.tiling is not None:
            able = before is not None and step.node not in late
            tiling = _behind(step.tiling, before, room) if able and before else None
            step = replace(step, tiling=tiling or step.tiling)
            before = step.tiling
        found.append(step)
    return tuple(found)


def _behind(tiling: Tiling, before: Tiling, room: Room) -> Tiling | None:
    """The tiling with early arrays beside those of ``before``; None when it does not fit so."""
    spans = {b.id: (b.offset, b.end) for b in before.buffers}
    placed: dict[str, TileBuffer] = {}
    for buffer in sorted(tiling.buffers, key=lambda b: b.id not in EARLY):
        taken = [_whole(other) for other in placed.values()]
        first = spans.values() if buffer.id in EARLY else ()
        placed[buffer.id] = _place(buffer, taken, first)
    moved = tuple(placed[buffer.id] for buffer in tiling.buffers)
    if max(buffer.end for buffer in moved) > room.size:
        return None
    return replace(tiling, buffers=moved, ahead=True, costs=_costs(tiling, room))


def _place(buffer: TileBuffer, taken: Iterable[Span], early: Iterable[Span]) -> TileBuffer:
    """At the lowest offset where all of it avoids ``taken``, and what is filled first, a side, the
    ``early`` spans."""
    size, whole = buffer.size * (buffer.sides if buffer.id == "turns" else 1), list(taken)
    first = list(early)
    for offset in sorted({0, *(end for _, end in (*whole, *first))}):
        free = _free(offset, offset + buffer.sides * buffer.size, whole)
        if free and _free(offset, offset + size, first):
            return replace(buffer, offset=offset)
    raise AssertionError("behind the last of them is room")


def _free(begin: int, end: int, spans: Iterable[Span]) -> bool:
    return all(end <= other[0] or begin >= other[1] for other in spans)


def _whole(buffer: TileBuffer) -> Span:
    return buffer.offset, buffer.end


def _costs(tiling: Tiling, room: Room) -> TileCosts:
    """Less what the first weights take to be moved."""
    costs = tiling.costs
    saved = sum(round(room.engine.load(Run(1, 1, size))) for size in _weights(tiling))
    return replace(costs, cycles=costs.cycles - saved, waiting=max(0, costs.waiting - saved))


def _weights(tiling: Tiling) -> Iterator[int]:
    yield from (b.size for b in tiling.buffers if b.id in EARLY and b.id != "turns")

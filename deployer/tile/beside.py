"""Where the arrays of a step lie in the innermost memory so that some of them can be filled while
the steps before it still compute."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from deployer.ir import TileBuffer, Tiling
from deployer.tile.search import Room
from deployer.tile.transfer import Run

PREFETCHED = ("turns", "weights", "table")  # arrays of what no other step writes
MAX_DISTANCE = 3  # DPL_PREFETCH_DISTANCE of dpl/tiles.h
Span = tuple[int, int]


@dataclass(frozen=True)
class Neighbours:
    """The step before, and those ``older`` than that beside which a prefetch may begin, the latest
    first: each of them but the last has one tile and was prefetched itself."""

    before: Tiling
    older: tuple[Tiling, ...]

    @property
    def most(self) -> int:
        """The longest distance."""
        return 1 + len(self.older)

    def spans(self, distance: int) -> list[Span]:
        """Where bytes are that a prefetch of this ``distance`` leaves alone."""
        beside = (self.before, *self.older)[:distance]
        return [span for tiling in beside for span in tiling.busy_at_end]

    def hidden(self, distance: int, room: Room) -> int:
        """Cycles of transfers that they hide."""
        beside = (self.before, *self.older)[:distance]
        left = 0
        for behind, tiling in zip((None, *beside), beside, strict=False):
            own = early_cycles(behind, room) if behind else 0
            left += max(0, _last_tile(tiling, room) - own)
        return left


def _last_tile(tiling: Tiling, room: Room) -> int:
    """Cycles of its last tile and of the start of the step behind it."""
    return tiling.costs.compute // tiling.count + round(room.engine.control.step)


def candidates(tiling: Tiling, neighbours: Neighbours, kept: str) -> Iterator[Tiling]:
    for distance in range(neighbours.most, -1, -1):
        for name in dict.fromkeys((kept, "")):
            if distance or name:
                yield _placed(tiling, neighbours, distance=distance, kept=name)
    yield tiling


def _placed(tiling: Tiling, neighbours: Neighbours, *, distance: int, kept: str) -> Tiling:
    """The arrays that are there early beside those of ``neighbours``, as many as ``distance``
    says; what is kept where it lies."""
    spans = neighbours.spans(distance) if distance else []
    placed: dict[str, TileBuffer] = {}
    if kept:
        made = neighbours.before.buffer("output")
        placed[kept] = replace(tiling.buffer(kept), offset=made.offset)
    for buffer in sorted(tiling.buffers, key=lambda b: b.id not in PREFETCHED):
        if buffer.id != kept:
            taken = [(other.offset, other.end) for other in placed.values()]
            early = spans if buffer.id in PREFETCHED else []
            placed[buffer.id] = _place(buffer, taken, early)
    moved = tuple(placed[buffer.id] for buffer in tiling.buffers)
    return replace(
        tiling, buffers=moved, prefetched=distance > 0, kept=kept, distance=max(1, distance)
    )


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


def early_cycles(tiling: Tiling, room: Room) -> int:
    """Of the transfers of what no other step writes, less the arguments."""
    sizes = (buffer.size for buffer in tiling.buffers if buffer.id in PREFETCHED[1:])
    return sum(round(room.engine.load(Run(1, 1, size))) for size in sizes)

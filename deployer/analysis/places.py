"""Where a value lies in a buffer, and which tensors lie at fixed distances from one another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

Hwc = tuple[int, int, int]


@dataclass(frozen=True)
class Place:
    """Where a value's bytes lie: ``offset`` bytes into a buffer.

    ``pitches``: elements from a pixel to the one below and to the one on its right, where the value
    is a window of a larger tensor; None when its elements follow one another.
    """

    buffer: str
    offset: int = 0
    pitches: tuple[int, int] | None = None


@dataclass(frozen=True)
class Pieces:
    """``count`` runs of ``bytes`` bytes, each ``pitch`` bytes behind the one before."""

    count: int
    bytes: int
    pitch: int


@dataclass(frozen=True)
class Tensor:
    """A whole value: rows, columns and channels, bytes of an element, half-open lifetime."""

    name: str
    extents: Hwc
    element: int
    lower: int
    upper: int

    @property
    def bytes(self) -> int:
        return self.extents[0] * self.extents[1] * self.extents[2] * self.element

    @property
    def pitches(self) -> tuple[int, int]:
        return self.extents[1] * self.extents[2], self.extents[2]


@dataclass(frozen=True)
class Edge:
    """``name`` begins at element ``at`` (row, column, channel) of ``other`` and has its pitches;
    or, ``at`` being None, ``gap`` bytes behind its first one, and both are contiguous."""

    name: str
    other: str
    at: Hwc | None
    gap: int = 0


@dataclass(frozen=True)
class Spot:
    """Where a tensor of a cluster lies: ``offset`` bytes into it, elements of pitch.

    ``grid`` names the tensor that holds all those of its pitches; ``at`` is the first element's
    row, column and channel there.
    """

    offset: int
    pitches: tuple[int, int]
    grid: str
    at: Hwc


class Misplaced(Exception):
    """Tensors cannot lie as the aliases say."""


def offsets(begin: tuple[int, ...]) -> Hwc:
    """A position in an activation of rank 2 to 4, batch first, as row, column and channel."""
    row, column, channel = (0, 0, *begin[1:])[-3:]
    return row, column, channel


def is_contiguous(extents: Hwc, pitches: tuple[int, int]) -> bool:
    """Whether the elements follow one another."""
    height, width, channels = extents
    return (width == 1 or pitches[1] == channels) and (
        height == 1 or pitches[0] == width * channels
    )


def pieces_of(extents: Hwc, pitches: tuple[int, int] | None, element: int) -> Pieces | None:
    """The bytes of a value as runs at one distance; None when rows and pixels differ in it."""
    height, width, channels = extents
    row = width * channels * element
    if pitches is None or is_contiguous(extents, pitches):
        return Pieces(1, height * row, 0)
    if width == 1 or pitches[1] == channels:
        return Pieces(height, row, pitches[0] * element)
    if height == 1 or pitches[0] == width * pitches[1]:
        return Pieces(height * width, channels * element, pitches[1] * element)
    return None


def arranged(edges: Iterable[Edge], tensors: Mapping[str, Tensor]) -> dict[str, Spot]:
    """The spot of every tensor of ``edges``, all connected, the lowest at 0 to 3.

    Raises Misplaced when the edges contradict one another.
    """
    edges = tuple(edges)
    grids = list(_grids([e for e in edges if e.at is not None], tensors))
    placed = {name for grid in grids for name in grid}
    others = [n for e in edges for n in (e.name, e.other) if n not in placed]
    grids += [{name: (0, 0, 0)} for name in dict.fromkeys(others)]
    inner = [_spots(grid, tensors) for grid in grids]
    return _joined(inner, [e for e in edges if e.at is None], tensors)


def _grids(edges: Iterable[Edge], tensors: Mapping[str, Tensor]) -> Iterator[dict[str, Hwc]]:
    """Connected tensors with their first elements, relative to one of them."""
    near: dict[str, list[tuple[str, Hwc]]] = {}
    for edge in edges:
        row, column, channel = edge.at or (0, 0, 0)
        near.setdefault(edge.name, []).append((edge.other, (-row, -column, -channel)))
        near.setdefault(edge.other, []).append((edge.name, (row, column, channel)))
    seen: set[str] = set()
    for start in near:
        if start in seen:
            continue
        found, queue = {start: (0, 0, 0)}, [start]
        while queue:
            here = queue.pop()
            for name, (row, column, channel) in near[here]:
                at = found[here]
                there = at[0] + row, at[1] + column, at[2] + channel
                if name not in found:
                    found[name] = there
                    queue.append(name)
                elif found[name] != there:
                    raise Misplaced(f"{name} would lie in two places")
        seen.update(found)
        yield found


def _spots(grid: Mapping[str, Hwc], tensors: Mapping[str, Tensor]) -> dict[str, Spot]:
    """The tensors of a grid inside the one that holds them all."""
    low = tuple(min(at[axis] for at in grid.values()) for axis in range(3))
    top = tuple(
        max(at[axis] + tensors[name].extents[axis] for name, at in grid.items())
        for axis in range(3)
    )
    whole = tuple(b - a for a, b in zip(low, top, strict=True))
    root = next((name for name in grid if tensors[name].extents == whole), None)
    if root is None:
        raise Misplaced(f"no tensor holds all of {', '.join(grid)}")
    rows, pixels = pitches = tensors[root].pitches
    found = {}
    for name, at in grid.items():
        row, column, channel = (x - y for x, y in zip(at, low, strict=True))
        offset = (row * rows + column * pixels + channel) * tensors[name].element
        found[name] = Spot(offset, pitches, root, (row, column, channel))
    return found


def _joined(
    grids: list[dict[str, Spot]], edges: list[Edge], tensors: Mapping[str, Tensor]
) -> dict[str, Spot]:
    """All grids in one row of bytes."""
    home = {name: k for k, grid in enumerate(grids) for name in grid}
    near: dict[int, list[tuple[int, int]]] = {}
    for edge in edges:
        for name in (edge.name, edge.other):
            if not is_contiguous(tensors[name].extents, grids[home[name]][name].pitches):
                raise Misplaced(f"{name} is a window, its elements lie apart")
        a, b = home[edge.name], home[edge.other]
        gap = grids[b][edge.other].offset + edge.gap - grids[a][edge.name].offset
        near.setdefault(b, []).append((a, gap))
        near.setdefault(a, []).append((b, -gap))
    starts, queue = {0: 0}, [0]
    while queue:
        here = queue.pop()
        for k, gap in near.get(here, ()):
            if k not in starts:
                starts[k] = starts[here] + gap
                queue.append(k)
            elif starts[k] != starts[here] + gap:
                raise Misplaced(f"{next(iter(grids[k]))} would lie in two places")
    base = min(starts[k] for k in starts) // 4 * 4
    return {
        name: Spot(spot.offset + starts[k] - base, spot.pitches, spot.grid, spot.at)
        for k, grid in enumerate(grids)
        for name, spot in grid.items()
    }

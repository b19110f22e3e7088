"""Any constant choice and order of elements as moves.

A map says for every element of the result which of the source it is. What exporters write is
regular: loops over the source, each with a stride, some with a table in the stride's place.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from deployer.frontend.rearrangement import Cut, Move, Pieces, Repeat, Skip, applied, around
from deployer.frontend.transposes import transposes_for

MAX_MAP_ELEMENTS = 1 << 22  # elements of a map
MAX_PIECES = 32  # each takes a Slice: a step of its own
_FEW_PIECES = 16  # more are worth going over the elements twice
_MAX_TABLE_ENTRIES = 1 << 12  # of a table that repeats


@dataclass(frozen=True)
class Loop:
    """``size`` elements, ``stride`` apart in the source; the numbers of a ``table`` are in strides,
    the least of them 0."""

    size: int
    stride: int
    table: tuple[int, ...] = ()

    @property
    def extent(self) -> int:
        """How many strides the loop covers."""
        if self.table:
            return max(self.table) + 1
        return self.size


def express(count: int, places: np.ndarray) -> tuple[Move, ...] | None:
    """Moves that make of ``count`` elements those at ``places``; None when there are none."""
    if np.array_equal(places, np.arange(count)):
        return ()
    moves = _moves(count, int(places.min()), loops_of(places))
    if moves is None or not np.array_equal(applied(moves, np.arange(count)), places):
        return None
    return moves


def loops_of(places: np.ndarray) -> list[Loop]:
    """Loops, outermost first, that give ``places`` from the least on; at worst one table."""
    inner, rest = _peeled(places)
    if rest.size == 1:
        return inner
    length = _period(rest)
    table = rest[:length] - rest[:length].min()
    stride = int(np.gcd.reduce(table))
    numbers = tuple(int(number) for number in table // stride)
    return [*loops_of(rest[::length]), Loop(length, stride, numbers), *inner]


def _peeled(places: np.ndarray) -> tuple[list[Loop], np.ndarray]:
    """The regular loops from the innermost on, and what they start from."""
    loops: list[Loop] = []
    while places.size > 1:
        size = _run(places)
        if size == 1:
            break
        loops.insert(0, Loop(size, int(places[1] - places[0])))
        places = places[::size]
    return loops, places


def _run(places: np.ndarray) -> int:
    """The longest run of the first step into which all can be cut."""
    steps = np.diff(places)
    breaks = np.flatnonzero(steps != steps[0]) + 1  # where another run begins
    return int(np.gcd.reduce(breaks, initial=places.size))


def _period(places: np.ndarray) -> int:
    """Length of the shortest pattern that repeats, from another start each time."""
    for length in (
        n for n in range(2, min(places.size, _MAX_TABLE_ENTRIES)) if places.size % n == 0
    ):
        rows = places.reshape(-1, length)
        if np.all(rows - rows[:, :1] == rows[0] - rows[0, 0]):
            return length
    return int(places.size)


def _moves(count: int, least: int, loops: Sequence[Loop]) -> tuple[Move, ...] | None:
    """What is needed is cut out, flipped or picked, transposed, repeated."""
    walked = [loop for loop in loops if loop.stride]
    ranked = sorted(walked, key=lambda loop: -abs(loop.stride))
    chosen = _chosen(count, least, ranked)
    picked = _picked(ranked)
    transposes = transposes_for([loop.size for loop in ranked], tuple(map(ranked.index, walked)))
    if chosen is None or picked is None or transposes is None:
        return None
    return (*chosen, *picked, *transposes, *_repeats(loops))


def _chosen(count: int, least: int, ranked: Sequence[Loop]) -> tuple[Move, ...] | None:
    """Moves to the elements that loops of falling strides read, an axis for each loop."""
    units, room = [], count
    for loop in ranked:
        room = math.gcd(room, abs(loop.stride))
        units.append(room)
    sizes = [above // unit for above, unit in zip((count, *units), (*units, 1), strict=True)]
    moves: list[Move] = []
    for axis, loop in enumerate((*ranked, Loop(1, 1))):
        unit = (*units, 1)[axis]
        step = abs(loop.stride) // unit
        begin, least = divmod(least, unit)
        end = begin + (loop.extent - 1) * step + 1
        if end > sizes[axis]:
            return None
        if end - begin < sizes[axis]:
            shape = around(sizes, axis)
            moves.append(Cut(shape, (0, begin, 0), (shape[0], end, shape[2])))
            sizes[axis] = end - begin
        if step > 1 and loop.extent > 1:
            moves.append(Skip(around(sizes, axis), step))
            sizes[axis] = loop.extent
    return tuple(moves)


def _picked(ranked: Sequence[Loop]) -> tuple[Move, ...] | None:
    """Axes that are walked backwards, or by a table; None where that takes too many pieces."""
    sizes = [loop.extent for loop in ranked]
    moves: list[Move] = []
    for axis, loop in enumerate(ranked):
        if loop.table:
            moves.append(Pieces(around(sizes, axis), ranges_of(loop.table)))
        elif loop.stride < 0:
            moves += _flipped(*around(sizes, axis))
        sizes[axis] = loop.size
    few = all(len(move.ranges) <= MAX_PIECES for move in moves if isinstance(move, Pieces))
    return tuple(moves) if few else None


def _flipped(before: int, size: int, after: int) -> list[Move]:
    """The middle axis backwards: a long one as two, each reversed."""
    outer = min((n for n in range(1, size + 1) if size % n == 0), key=lambda n: n + size // n)
    inner = size // outer
    if size <= _FEW_PIECES:
        outer, inner = size, 1
    shapes = (before, outer, inner * after), (before * outer, inner, after)
    return [Pieces(s, ranges_of(tuple(reversed(range(s[1]))))) for s in shapes if s[1] > 1]


def ranges_of(table: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """A table as ranges, each from its first number to behind its last."""
    found: list[tuple[int, int]] = []
    for number in table:
        if found and found[-1][1] == number:
            found[-1] = (found[-1][0], number + 1)
        else:
            found.append((number, number + 1))
    return tuple(found)


def _repeats(loops: Sequence[Loop]) -> tuple[Move, ...]:
    """What loops that stay where they are add to the others."""
    sizes = [loop.size if loop.stride else 1 for loop in loops]
    moves: list[Move] = []
    for axis, loop in enumerate(loops):
        if not loop.stride:
            moves.append(Repeat(around(sizes, axis), loop.size))
            sizes[axis] = loop.size
    return tuple(moves)

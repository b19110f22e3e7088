"""Places of weights that are fetched, one after the other in the order of their transfers.

What an allocator of rectangles is given are lifetimes, and where it finds no plan for transfers as
early as bytes allow, all of them would have to begin later. Here activations have their places
first; then each transfer begins at the earliest step from which on a gap holds its weights until
they were used. So a gap that is missing delays one transfer, and there is always a plan.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from deployer.allocate import NO_EFFORT, Problem, SolverName, instance_of, solver_named
from deployer.ir import Buffer

Gap = tuple[int, int]  # bytes, half-open
Fit = Callable[[Sequence[Gap], int, Gap], int]  # where in a gap so many bytes lie, after others
_PACKINGS = (
    SolverName.GS_FIRST,
    SolverName.GB_FIRST,
    SolverName.B2SP,
    SolverName.FIFO_FIRST,
    SolverName.LIFO_FIRST,
)


@dataclass(frozen=True)
class Rect:
    """``bytes`` from ``offset`` on, in the steps from ``lower`` to before ``upper``."""

    lower: int
    upper: int
    offset: int
    bytes: int


@dataclass(frozen=True)
class Turns:
    """When each transfer begins and where its weights lie; where the activations do."""

    begins: tuple[int, ...]
    weights: tuple[int, ...]
    activations: tuple[int, ...]


def in_turn(
    buffers: Sequence[Buffer], weights: Sequence[Buffer], entries: Sequence[int], room: int
) -> Iterator[Turns]:
    """Plans in ``room`` bytes for activations in ``buffers`` and for ``weights``, which begin at
    one of ``entries`` up to the ``lower`` of each: by several packings of the activations, from
    the lowest gap or the highest."""
    problem = Problem(tuple(buffers), (("arena", room),))
    for offsets in _packings(problem):
        fixed = _rects(problem, offsets)
        for fit in FITS:
            found = _places(fixed, weights, entries, room, fit)
            if found is not None:
                yield Turns(*found, offsets)


def _packings(problem: Problem) -> Iterable[tuple[int, ...]]:
    """Offsets of the activations, each once, that fit."""
    instance, room = instance_of(problem), problem.capacities[0][1]
    found = (solver_named(name)(instance, NO_EFFORT).packing for name in _PACKINGS)
    return dict.fromkeys(each.offsets for each in found if each.height <= room)


def _rects(problem: Problem, offsets: Sequence[int]) -> list[Rect]:
    rows = zip(problem.buffers, offsets, problem.sizes, strict=True)
    return [Rect(b.lower, b.upper, offset, size) for b, offset, size in rows]


def _places(
    fixed: Iterable[Rect], weights: Sequence[Buffer], entries: Sequence[int], room: int, fit: Fit
) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Begins and offsets of ``weights``; None where one finds no gap at its own step."""
    begins, offsets, beside, last = list[int](), list[int](), list(fixed), 0
    before = (0, 0)
    for one in weights:
        beside = [rect for rect in beside if rect.upper > last]
        steps = entries[bisect_left(entries, last) : bisect_right(entries, one.lower)]
        first = bisect_left(steps, True, key=lambda step: bool(_gaps(beside, step, one, room)))
        if first == len(steps):
            return None
        last = steps[first]
        offset = fit(_gaps(beside, last, one, room), one.size, before)
        before = (offset, offset + one.size)
        beside.append(Rect(last, one.upper, offset, one.size))
        begins.append(last)
        offsets.append(offset)
    return tuple(begins), tuple(offsets)


def _gaps(beside: Iterable[Rect], begin: int, one: Buffer, room: int) -> list[Gap]:
    """Those of ``room`` bytes that hold ``one`` from step ``begin`` on, by rising offset. There are
    no fewer from a later step on."""
    near = [rect for rect in beside if rect.lower < one.upper and rect.upper > begin]
    found, level = list[Gap](), 0
    for rect in sorted(near, key=lambda rect: rect.offset):
        if rect.offset - level >= one.size:
            found.append((level, rect.offset))
        level = max(level, rect.offset + rect.bytes)
    return [*found, (level, room)] if room - level >= one.size else found


def _lowest(gaps: Sequence[Gap], size: int, before: Gap) -> int:
    return gaps[0][0]


def _highest(gaps: Sequence[Gap], size: int, before: Gap) -> int:
    return gaps[-1][1] - size


def _tightest(gaps: Sequence[Gap], size: int, before: Gap) -> int:
    return min(gaps, key=lambda gap: gap[1] - gap[0])[0]


def _above(gaps: Sequence[Gap], size: int, before: Gap) -> int:
    """Round a ring, upwards."""
    return next((begin for begin, _ in gaps if begin >= before[1]), gaps[0][0])


def _below(gaps: Sequence[Gap], size: int, before: Gap) -> int:
    """Round a ring, downwards."""
    return next((end for _, end in reversed(gaps) if end <= before[0]), gaps[-1][1]) - size


FITS = (_lowest, _highest, _tightest, _above, _below)

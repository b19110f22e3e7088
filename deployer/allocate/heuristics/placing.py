"""Tensor-first placement (paper 001, algorithm 1): one by one, into the first or tightest gap."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from deployer.allocate.instance import Instance

Taken = list[tuple[int, int]]  # [begin, end) ranges of bytes, sorted
Fit = Callable[[Taken, int], int]


def first_fit(taken: Taken, size: int) -> int:
    """The lowest offset with ``size`` free bytes."""
    level = 0
    for begin, end in taken:
        if begin - level >= size:
            return level
        if end > level:
            level = end
    return level


def best_fit(taken: Taken, size: int) -> int:
    """The start of the tightest gap of ``size`` bytes; above everything if there is none."""
    level, tightest, offset = 0, -1, -1
    for begin, end in taken:
        gap = begin - level
        if gap >= size and (tightest < 0 or gap < tightest):
            tightest, offset = gap, level
        if end > level:
            level = end
    return offset if tightest >= 0 else level


def place(instance: Instance, order: Sequence[int], fit: Fit = first_fit) -> tuple[int, ...]:
    """Offsets of all buffers, placed in ``order``."""
    offsets = [0] * instance.count
    taken: list[Taken] = [[] for _ in order]
    sizes, neighbours = instance.sizes, instance.neighbours
    for i in order:
        near = taken[i]
        near.sort()
        offset = fit(near, sizes[i])
        offsets[i] = offset
        here = (offset, offset + sizes[i])
        for j in neighbours[i]:
            taken[j].append(here)
    return tuple(offsets)

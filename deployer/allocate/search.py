"""Is there a packing of a given height? A search of our own over canonical packings.

After Moffitt and Pollack, "Optimal rectangle packing: an absolute placement approach", and Moffitt,
"MiniMalloc". In a packing whose offsets sum to the least, each buffer rests on what lies below it,
and none could be moved down past others. Such packings alone are looked at, from the bottom up.

A node takes the lowest place at which a buffer can rest, and either puts it there or postpones it.
What is postponed must be lifted: a neighbour must still come in its way. Where none can, the branch
ends; else the lowest end of those that can is a floor for it. A branch ends, too, when in some live
set what waits, piled on these floors, exceeds the height. Where what is left falls apart in time,
the pieces are searched one by one, and what failed once fails again: states are remembered.

Which of the buffers that rest equally low comes first decides how soon a packing is found, and luck
decides much of that. So orders take turns, each time with twice as many nodes, and all share what
failed. The last of them puts buffers first whose live sets ended most branches.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from deployer.allocate.canonical import PlainSearch
from deployer.allocate.instance import Instance
from deployer.allocate.native_search import NativeSearch, can_hold, search_library
from deployer.allocate.task import End, Task, task_of

MAX_BUFFERS = 2_000  # buffers: the search recurses once a buffer
_FRAMES = 6  # Python's, a buffer
ORDERS = ("WAT", "TAW", "TWA", "BAW")  # lifetime, area, fullest live set, blame: largest first
_FIRST_NODES_A_BUFFER = 2


@dataclass(frozen=True)
class Found:
    """``offsets`` of a packing no higher than the height, or None.

    If there is none and the search came to its end, no packing is lower than ``least``, which is
    above that height. ``nodes`` were visited, large ones counted several times.
    """

    offsets: tuple[int, ...] | None
    least: int
    nodes: int


class Search(Protocol):
    """Runs on one task, each from the start with what the runs before learned."""

    def run(self, order: str, limit: int) -> tuple[End, int]:
        """The end of it and the nodes visited."""
        ...

    @property
    def offsets(self) -> tuple[int, ...]: ...

    @property
    def least(self) -> int: ...

    def close(self) -> None: ...


def pack(instance: Instance, height: int, nodes: int) -> Found:
    """A packing of at most ``height``, or why none is known after ``nodes``.

    The same with and without a compiler; without, it takes a hundred times as long.
    """
    if instance.bound > height:
        return Found(None, instance.bound, 0)
    if instance.count > MAX_BUFFERS:
        return Found(None, height, 0)
    task, solid = task_of(instance, height, nodes)
    with searching(task) as search:
        end, spent = in_turns(search, task.count, nodes)
        if end == End.FOUND:
            return Found(_spread(search.offsets, solid, instance.count), height, spent)
        return Found(None, search.least if end == End.NONE else height, spent)


def in_turns(search: Search, count: int, nodes: int) -> tuple[End, int]:
    """Orders take turns until one comes to an end; that, or CUT, and the nodes of all."""
    limit, spent = _FIRST_NODES_A_BUFFER * count, 0
    while spent < nodes:
        for order in ORDERS:
            end, visited = search.run(order, min(limit, nodes - spent))
            spent += visited
            if end != End.CUT or spent >= nodes:
                return end, spent
        limit *= 2
    return End.CUT, spent


@contextmanager
def searching(task: Task) -> Iterator[Search]:
    """The compiled search where there is one, else the one in Python."""
    native = search_library() if can_hold(task) else None
    search: Search = NativeSearch(task, native) if native else PlainSearch(task)
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(before + (0 if native else _FRAMES * task.count))
    try:
        yield search
    finally:
        sys.setrecursionlimit(before)
        search.close()


def _spread(offsets: tuple[int, ...], solid: list[int], count: int) -> tuple[int, ...]:
    """Buffers of no bytes lie at 0."""
    found = [0] * count
    for i, offset in zip(solid, offsets, strict=True):
        found[i] = offset
    return tuple(found)

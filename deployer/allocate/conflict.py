"""The smallest reason why buffers do not fit: a few, alive together, that are too many."""

from __future__ import annotations

from deployer.allocate.instance import instance_of
from deployer.allocate.problem import Problem
from deployer.allocate.sections import sections_of
from deployer.ir import Buffer


def smallest_conflict(problem: Problem, room: int) -> tuple[Buffer, ...]:
    """The fewest buffers alive together that exceed ``room`` bytes, largest first.

    Without any one of them the rest fits into ``room``, were it cut up freely. Of equally many the
    earliest. Empty when no live set exceeds ``room``: then only the gaps between them are too much.
    """
    sizes = problem.sizes
    best: tuple[int, ...] = ()
    for members in sections_of(instance_of(problem)).members:
        chosen = _fewest(members, sizes, room)
        if chosen and (not best or len(chosen) < len(best)):
            best = chosen
    return tuple(problem.buffers[i] for i in best)


def _fewest(members: tuple[int, ...], sizes: tuple[int, ...], room: int) -> tuple[int, ...]:
    """The largest of ``members`` until they exceed ``room``."""
    total, chosen = 0, []
    for i in sorted(members, key=lambda i: (-sizes[i], i)):
        chosen.append(i)
        total += sizes[i]
        if total > room:
            return tuple(chosen)
    return ()

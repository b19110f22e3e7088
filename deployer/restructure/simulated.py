"""What line buffers hold, found once for all planners of a network.

Kernels, scratch and costs of a node have no part in it: planners that differ in those alone need
the same buffers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from deployer.analysis import Reach, Rows, Rules, Window, overlap_offset, pull, ring_rows

_MAX_KEPT = 2048  # regions: a few networks' of some hundred nodes


@dataclass(frozen=True)
class LineBuffering:
    """The rows of ``grid`` pulled ``chunk`` a call, as in analysis/line_buffers.py.

    ``rules``: per value made here, the values it reads and how. ``owners``: the value in whose
    bytes each of them lies. ``pitches``: bytes a row of the grid and of what may share its bytes.
    """

    rules: tuple[tuple[str, tuple[tuple[str, Reach], ...]], ...]
    heights: tuple[tuple[str, int], ...]
    outputs: tuple[str, ...]
    grid: str
    owners: tuple[tuple[str, str], ...]
    pitches: tuple[tuple[str, int], ...]
    chunk: int = 1


@dataclass(frozen=True, eq=False)
class Kept:
    """``sizes``: per value, how many calls make how many rows. ``rings``: rows each owner keeps.
    ``gaps``: bytes that a value must begin above the grid, that no write reaches a row of it that
    is still read."""

    sizes: Mapping[str, Sequence[tuple[int, int]]]
    rings: Mapping[str, int]
    gaps: Mapping[str, int]


@lru_cache(maxsize=_MAX_KEPT)
def simulated(buffering: LineBuffering) -> Kept:
    rules, heights, owners = dict(buffering.rules), dict(buffering.heights), dict(buffering.owners)
    calls = tuple(pull(rules, heights, buffering.outputs, buffering.grid, buffering.chunk))
    window = Window(calls, readers_of(rules), heights)
    return Kept(_sizes(calls), ring_rows(window, owners), _gaps(buffering, window))


def readers_of(rules: Rules) -> dict[str, list[tuple[str, Reach]]]:
    """Per value that is read, by which and how."""
    found: dict[str, list[tuple[str, Reach]]] = {}
    for value, inputs in rules.items():
        for name, reach in inputs:
            found.setdefault(name, []).append((value, reach))
    return found


def _sizes(calls: Iterable[Rows]) -> dict[str, list[tuple[int, int]]]:
    found: dict[str, list[tuple[int, int]]] = {}
    for (name, tall), count in Counter((c.value, c.hi - c.lo) for c in calls).items():
        found.setdefault(name, []).append((tall, count))
    return found


def _gaps(buffering: LineBuffering, window: Window) -> dict[str, int]:
    pitches = dict(buffering.pitches)
    step = pitches.pop(buffering.grid)
    writers = {name for name, owner in buffering.owners if owner == buffering.grid}
    return {n: overlap_offset(window, (n, pitch), (writers, step)) for n, pitch in pitches.items()}

"""The order of calls of a streamed region, and how many rows of each value it keeps.

Rows are pulled: the next row of the grid is asked for, and whatever a node lacks is made first, a
chunk of rows a call, the first lacking input first. So no row is made earlier than needed, and each
once. The calls of a node and those behind it do not depend on what lies before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from deployer.analysis.spatial import Reach, needs

Rules = Mapping[str, Sequence[tuple[str, Reach]]]
_Lacks = Mapping[str, Sequence[tuple[str, Sequence[int]]]]
_KEPT = 4096  # tables of rules
_STREAMS = 4  # whose calls are kept: of images of many rows they take megabytes


class Rows(NamedTuple):
    """One call: rows ``lo`` to ``hi`` of ``value`` are made (or fetched)."""

    value: str
    lo: int
    hi: int


def pull(
    rules: Rules, heights: Mapping[str, int], outputs: Sequence[str], grid: str, chunk: int
) -> Iterator[Rows]:
    """The calls. ``rules``: per value made here, the values it reads and how; what has no entry is
    there. Other ``outputs`` follow the grid in proportion to their height."""
    lacks = {
        value: [(n, _upto(reach, heights[value], chunk)) for n, reach in reads if n in rules]
        for value, reads in rules.items()
    }
    done = dict.fromkeys(rules, 0)
    targets = [grid, *(name for name in outputs if name != grid)]
    while done[grid] < heights[grid]:
        row = min(done[grid] + chunk, heights[grid])
        for name in targets:
            goal = row * heights[name] // heights[grid]
            yield from _make(name, goal, lacks, heights, done, chunk)


@dataclass(frozen=True)
class Pulling:
    """What the calls of a stream depend on. One region is laid out for many schedules of a network,
    and its calls are as many as its rows: they are found once."""

    rules: tuple[tuple[str, tuple[tuple[str, Reach], ...]], ...]
    heights: tuple[tuple[str, int], ...]
    outputs: tuple[str, ...]
    grid: str
    chunk: int

    @staticmethod
    def of(
        rules: Rules, heights: Mapping[str, int], outputs: Sequence[str], grid: str, chunk: int
    ) -> Pulling:
        return Pulling(_frozen(rules), tuple(heights.items()), tuple(outputs), grid, chunk)


def _frozen(rules: Rules) -> tuple[tuple[str, tuple[tuple[str, Reach], ...]], ...]:
    return tuple((value, tuple(reads)) for value, reads in rules.items())


@lru_cache(maxsize=_STREAMS)
def pulled(given: Pulling) -> tuple[Rows, ...]:
    """The calls of ``pull``."""
    rules, heights = dict(given.rules), dict(given.heights)
    return tuple(pull(rules, heights, given.outputs, given.grid, given.chunk))


def rings_of(given: Pulling, readers: Rules, owners: Mapping[str, str]) -> dict[str, int]:
    """``ring_rows`` of its calls."""
    return dict(_rings(given, _frozen(readers), tuple(owners.items())))


@lru_cache(maxsize=_KEPT)
def _rings(
    given: Pulling,
    readers: tuple[tuple[str, tuple[tuple[str, Reach], ...]], ...],
    owners: tuple[tuple[str, str], ...],
) -> dict[str, int]:
    return ring_rows(pulled(given), dict(readers), dict(given.heights), dict(owners))


def _make(
    value: str,
    upto: int,
    lacks: _Lacks,
    heights: Mapping[str, int],
    done: dict[str, int],
    chunk: int,
) -> Iterator[Rows]:
    """Rows of ``value`` until ``upto`` are there. ``lacks``: per value, what it reads of those made
    here, and how many rows of that by the first row of a call."""
    stack = [(value, upto)]
    while stack:
        name, goal = stack[-1]
        first = done[name]
        if first >= goal:
            stack.pop()
            continue
        for source, needed in lacks[name]:
            if done[source] < needed[first]:
                stack.append((source, needed[first]))
                break
        else:
            done[name] = min(first + chunk, heights[name])
            yield Rows(name, first, done[name])


@lru_cache(maxsize=_KEPT)
def _upto(reach: Reach, made: int, chunk: int) -> tuple[int, ...]:
    """Rows of the input that must be there for the call that begins with each of ``made`` rows."""
    first = np.arange(made)
    return tuple(needs(reach, first, np.minimum(first + chunk, made))[1].tolist())


@lru_cache(maxsize=_KEPT)
def _from(reach: Reach, made: int) -> tuple[int, ...]:
    """The first row of the input that each of ``made`` rows reads, and behind them its extent."""
    first = np.arange(made)
    return (*needs(reach, first, first + 1)[0].tolist(), reach.extent)


class Window:
    """How far each value is made and still needed, call by call.

    ``readers``: per value, those who read it and how. ``seen`` must be told of every call, before
    the next one.
    """

    def __init__(self, readers: Rules, heights: Mapping[str, int]):
        self._heights = heights
        self._done = dict.fromkeys(heights, 0)
        self._reads = {
            value: [(reader, _from(reach, heights[reader])) for reader, reach in rules]
            for value, rules in readers.items()
        }

    def seen(self, call: Rows) -> None:
        self._done[call.value] = call.hi

    def made(self, value: str) -> int:
        return self._done[value]

    def lowest(self, value: str) -> int:
        """The first row of ``value`` that a coming call, or the present one, reads."""
        low = self._heights[value]
        for reader, first in self._reads.get(value, ()):
            low = min(low, first[self._done[reader]])
        return low


def ring_rows(
    calls: Sequence[Rows],
    readers: Rules,
    heights: Mapping[str, int],
    owners: Mapping[str, str],
) -> dict[str, int]:
    """Rows each owner in ``owners`` (value to the value whose bytes it shares) must keep."""
    members: dict[str, list[str]] = {}
    for name, owner in owners.items():
        members.setdefault(owner, []).append(name)
    window, rings = Window(readers, heights), dict.fromkeys(members, 0)
    for call in calls:
        owner = owners.get(call.value, "")
        if owner:
            made, low = call.hi, call.lo
            for name in members[owner]:
                made, low = max(made, window.made(name)), min(low, window.lowest(name))
            rings[owner] = max(rings[owner], made - low)
        window.seen(call)
    return rings


def gap_bytes(
    calls: Sequence[Rows],
    readers: Rules,
    heights: Mapping[str, int],
    source: tuple[str, int],
    targets: tuple[Sequence[str], int],
) -> int:
    """Bytes the source must begin above the target, that no write reaches a row still needed.

    ``source``: a value and its bytes a row. ``targets``: what writes the target's rows, and the
    target's bytes a row.
    """
    window, gap = Window(readers, heights), 0
    for call in calls:
        if call.value in targets[0]:
            gap = max(gap, call.hi * targets[1] - window.lowest(source[0]) * source[1])
        window.seen(call)
    return gap

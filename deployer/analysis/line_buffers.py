"""The order of calls of a region with line buffers, and how many rows of each value it keeps.

Rows are pulled: before the next row of the grid, whatever its node lacks is made, a
chunk of rows a call, the first lacking input first. So no row is made earlier than needed, and each
once. The calls of a node and those behind it do not depend on what lies before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from deployer.analysis.spatial import Reach, needs

Rules = Mapping[str, Sequence[tuple[str, Reach]]]
_Lacks = Mapping[str, Sequence[tuple[str, Sequence[int]]]]
_MAX_KEPT_RULES = 4096  # tables of rules
_MAX_PULLED = 4  # regions whose calls are kept: of images of many rows they take megabytes


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
    """What the calls of such a region depend on. One region is laid out for many schedules of a
    network, and its calls are as many as its rows: they are found once."""

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


@lru_cache(maxsize=_MAX_PULLED)
def pulled(given: Pulling) -> tuple[Rows, ...]:
    """The calls of ``pull``."""
    rules, heights = dict(given.rules), dict(given.heights)
    return tuple(pull(rules, heights, given.outputs, given.grid, given.chunk))


def rings_of(given: Pulling, readers: Rules, owners: Mapping[str, str]) -> dict[str, int]:
    """``ring_rows`` of its calls."""
    return dict(_rings(given, _frozen(readers), tuple(owners.items())))


@lru_cache(maxsize=_MAX_KEPT_RULES)
def _rings(
    given: Pulling,
    readers: tuple[tuple[str, tuple[tuple[str, Reach], ...]], ...],
    owners: tuple[tuple[str, str], ...],
) -> dict[str, int]:
    window = Window(pulled(given), dict(readers), dict(given.heights))
    return ring_rows(window, dict(owners))


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


@lru_cache(maxsize=_MAX_KEPT_RULES)
def _upto(reach: Reach, made: int, chunk: int) -> tuple[int, ...]:
    """Rows of the input that must be there for the call that begins with each of ``made`` rows."""
    first = np.arange(made)
    return tuple(needs(reach, first, np.minimum(first + chunk, made))[1].tolist())


@lru_cache(maxsize=_MAX_KEPT_RULES)
def _from(reach: Reach, made: int) -> np.ndarray:
    """The first row of the input that each of ``made`` rows reads, and behind them its extent."""
    first = np.arange(made)
    return np.append(needs(reach, first, first + 1)[0], reach.extent)


class Window:
    """How far each value is made and still needed when a call begins.

    ``readers``: per value, those who read it and how. Times are numbers of calls.
    """

    def __init__(self, calls: Sequence[Rows], readers: Rules, heights: Mapping[str, int]):
        self._heights = heights
        self._reads = {
            value: [(reader, _from(reach, heights[reader])) for reader, reach in rules]
            for value, rules in readers.items()
        }
        at = {value: number for number, value in enumerate(heights)}
        made = np.array([at[call.value] for call in calls], dtype=np.int64)
        spans = np.array([[call.lo for call in calls], [call.hi for call in calls]])
        times = np.argsort(made, kind="stable")
        table = np.stack([times, *spans[:, times]])
        ends = np.searchsorted(made[times], np.arange(len(at) + 1)).tolist()
        parts = zip(at, pairwise(ends), strict=True)
        self._calls = {value: table[:, begin:end] for value, (begin, end) in parts}

    def calls(self, value: str) -> np.ndarray:
        """When ``value`` is made, first rows and the ones behind the last: a row each."""
        return self._calls[value]

    def made(self, value: str, when: np.ndarray) -> np.ndarray:
        """Rows of ``value`` that earlier calls have made."""
        times, _, ends = self.calls(value)
        return np.append(0, ends)[np.searchsorted(times, when)]

    def lowest(self, value: str, when: np.ndarray) -> np.ndarray:
        """The first row of ``value`` that a coming call, or the present one, reads."""
        low = np.full(len(when), self._heights[value])
        for reader, first in self._reads.get(value, ()):
            low = np.minimum(low, first[self.made(reader, when)])
        return low


def ring_rows(window: Window, owners: Mapping[str, str]) -> dict[str, int]:
    """Rows each owner in ``owners`` (value to the value whose bytes it shares) must keep."""
    members: dict[str, list[str]] = {}
    for name, owner in owners.items():
        members.setdefault(owner, []).append(name)
    return {
        owner: max(_rows_kept(window, name, names) for name in names)
        for owner, names in members.items()
    }


def _rows_kept(window: Window, value: str, members: Sequence[str]) -> int:
    """The most rows of ``members``, which share bytes, when a call makes ``value``."""
    when, low, high = window.calls(value)
    for name in members:
        low = np.minimum(low, window.lowest(name, when))
        high = np.maximum(high, window.made(name, when))
    return int((high - low).max(initial=0))


def overlap_offset(
    window: Window, source: tuple[str, int], targets: tuple[Iterable[str], int]
) -> int:
    """Bytes the source must begin above the target, that no write reaches a row still needed.

    ``source``: a value and its bytes a row. ``targets``: what writes the target's rows, and the
    target's bytes a row.
    """
    (value, pitch), (writers, step) = source, targets
    gap = 0
    for name in writers:
        when, _, ends = window.calls(name)
        needed = ends * step - window.lowest(value, when) * pitch
        gap = max(gap, int(needed.max(initial=0)))
    return gap

"""The order of calls of a streamed region, and how many rows of each value it keeps.

Rows are pulled: the next row of the grid is asked for, and whatever a node lacks is made first, a
chunk of rows a call, the first lacking input first. So no row is made earlier than needed, and each
once. The calls of a node and those behind it do not depend on what lies before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from deployer.analysis.spatial import Reach, need

Rules = Mapping[str, Sequence[tuple[str, Reach]]]


@dataclass(frozen=True)
class Rows:
    """One call: rows ``lo`` to ``hi`` of ``value`` are made (or fetched)."""

    value: str
    lo: int
    hi: int


def pull(
    rules: Rules, heights: Mapping[str, int], outputs: Sequence[str], grid: str, chunk: int
) -> Iterator[Rows]:
    """The calls. ``rules``: per value made here, the values it reads and how; what has no entry is
    there. Other ``outputs`` follow the grid in proportion to their height."""
    done = dict.fromkeys(rules, 0)
    while done[grid] < heights[grid]:
        row = min(done[grid] + chunk, heights[grid])
        targets = [grid, *(name for name in outputs if name != grid)]
        for name in targets:
            yield from _make(
                name, row * heights[name] // heights[grid], rules, heights, done, chunk
            )


def _make(
    value: str,
    upto: int,
    rules: Rules,
    heights: Mapping[str, int],
    done: dict[str, int],
    chunk: int,
) -> Iterator[Rows]:
    """Rows of ``value`` until ``upto`` are there."""
    stack = [(value, upto)]
    while stack:
        name, goal = stack[-1]
        first = done[name]
        if first >= goal:
            stack.pop()
            continue
        last = min(first + chunk, heights[name])
        lack = _lacking(rules[name], first, last, done)
        if lack:
            stack.append(lack)
            continue
        yield Rows(name, first, last)
        done[name] = last


def _lacking(
    inputs: Sequence[tuple[str, Reach]], lo: int, hi: int, done: Mapping[str, int]
) -> tuple[str, int] | None:
    """The first input that rows [lo, hi) lack, and the rows needed of it."""
    for name, reach in inputs:
        if name in done:
            goal = need(reach, lo, hi)[1]
            if done[name] < goal:
                return name, goal
    return None


class Window:
    """How far each value is made and still needed, call by call.

    ``readers``: per value, those who read it and how. ``seen`` must be told of every call, before
    the next one.
    """

    def __init__(self, readers: Rules, heights: Mapping[str, int]):
        self._readers, self._heights = readers, heights
        self._done = dict.fromkeys(heights, 0)

    def seen(self, call: Rows) -> None:
        self._done[call.value] = call.hi

    def made(self, value: str) -> int:
        return self._done[value]

    def lowest(self, value: str) -> int:
        """The first row of ``value`` that a coming call, or the present one, reads."""
        low = self._heights[value]
        for reader, reach in self._readers.get(value, ()):
            done = self._done[reader]
            if done < self._heights[reader]:
                low = min(low, need(reach, done, done + 1)[0])
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
            made = max(call.hi, *(window.made(name) for name in members[owner]))
            low = min(call.lo, *(window.lowest(name) for name in members[owner]))
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

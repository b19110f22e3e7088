"""What a search for a packing of a given height works on: buffers by their sections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from deployer.allocate.instance import Instance
from deployer.allocate.sections import sections_of


class End(IntEnum):
    """How a run of the search ended; the numbers are those of canonical.h."""

    NONE = 0
    FOUND = 1
    CUT = 2


@dataclass(frozen=True)
class Task:
    """Buffer i takes ``sizes[i]`` > 0 bytes in the sections [first[i], end[i]).

    ``twin[i]`` is the buffer before i of the same size and sections, or -1. ``budget``: the nodes
    of all runs together.
    """

    sections: int
    first: tuple[int, ...]
    end: tuple[int, ...]
    twin: tuple[int, ...]
    sizes: tuple[int, ...]
    spans: tuple[int, ...]
    height: int
    budget: int

    @property
    def count(self) -> int:
        return len(self.sizes)

    def alive(self, section: int) -> list[int]:
        """The buffers of a section."""
        return [i for i in range(self.count) if self.first[i] <= section < self.end[i]]

    def near(self) -> list[list[int]]:
        """For each buffer, those that share a section with it."""
        first, end, everyone = self.first, self.end, range(self.count)
        return [
            [j for j in everyone if j != i and first[j] < end[i] and first[i] < end[j]]
            for i in everyone
        ]


def task_of(instance: Instance, height: int, budget: int) -> tuple[Task, list[int]]:
    """The task, and the buffers that it is about: those of no bytes are left out."""
    found = sections_of(instance)
    solid = [i for i, size in enumerate(instance.sizes) if size]
    sizes = tuple([instance.sizes[i] for i in solid])
    first = tuple([found.of[i][0] for i in solid])
    end = tuple([found.of[i][-1] + 1 for i in solid])
    task = Task(
        sections=len(found.members),
        first=first,
        end=end,
        twin=_twins(list(zip(sizes, first, end, strict=True))),
        sizes=sizes,
        spans=tuple([instance.spans[i] for i in solid]),
        height=height,
        budget=budget,
    )
    return task, solid


def _twins(kinds: Sequence[tuple[int, int, int]]) -> tuple[int, ...]:
    latest: dict[tuple[int, int, int], int] = {}
    found = []
    for i, kind in enumerate(kinds):
        found.append(latest.get(kind, -1))
        latest[kind] = i
    return tuple(found)

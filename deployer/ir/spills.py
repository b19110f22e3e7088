"""Where values lie that are spilled to the memory behind the arena's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Spill:
    """``value`` lies ``bytes`` from ``offset`` on in the outer memory, from the step that writes it
    until after the last that fetches rows of it."""

    value: str
    offset: int
    bytes: int


@dataclass(frozen=True)
class SpillPlan:
    """Values that are spilled to ``memory``."""

    memory: str
    spills: tuple[Spill, ...]

    @cached_property
    def offsets(self) -> Mapping[str, int]:
        """The first byte of each value in the outer memory."""
        return {spill.value: spill.offset for spill in self.spills}

    @property
    def span(self) -> tuple[int, int]:
        """The first byte of all, and the first behind them."""
        ends = (spill.offset + spill.bytes for spill in self.spills)
        return min(spill.offset for spill in self.spills), max(ends)

    @property
    def bytes(self) -> int:
        """Of the outer memory."""
        first, end = self.span
        return end - first

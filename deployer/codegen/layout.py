"""Where every value lies in the arena, as C expressions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from deployer.analysis.liveness import Place, places
from deployer.ir.graph import Graph
from deployer.ir.plan import MemoryPlan


@dataclass(frozen=True)
class Arena:
    """One arena array: the part of the plan that lies in ``memory``."""

    memory: str
    array: str
    bytes: int


@dataclass(frozen=True, eq=False)
class ArenaMap:
    """Addresses of buffers, and of values that lie in them as a whole: aliases (Reshape) share the
    address of what they alias, tensors that overlap a buffer. ``inside``: values of a region to the
    owners of their buffers."""

    graph: Graph
    plan: MemoryPlan
    prefix: str
    inside: Mapping[str, str] = field(default_factory=dict)

    @property
    def arenas(self) -> tuple[Arena, ...]:
        return tuple(
            Arena(memory, self.array(memory), size) for memory, size in self.plan.heights if size
        )

    def array(self, memory: str) -> str:
        return f"{self.prefix}_arena_{memory}"

    def address(self, name: str, skipped: int = 0) -> str:
        """A C expression, ``skipped`` bytes into the value or buffer: ``net_arena_sram + 128``."""
        memory, offset = self._at(name)
        return f"{self.array(memory)} + {offset + skipped}"

    def range_text(self, value: str) -> str:
        """``sram[128, 912)`` for comments."""
        memory, offset = self._at(value)
        return f"{memory}[{offset}, {offset + self.graph.values[value].bytes})"

    def _at(self, name: str) -> tuple[str, int]:
        name = self.inside.get(name, name)
        place = self._places.get(name, Place(name))
        placed = self.plan.at(place.buffer)
        return placed.memory, placed.offset + place.offset

    @cached_property
    def _places(self) -> Mapping[str, Place]:
        return places(self.graph)

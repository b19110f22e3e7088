"""Where every value lies in the arena, as C expressions."""

from __future__ import annotations

from dataclasses import dataclass

from deployer.ir.graph import Graph
from deployer.ir.ops import OPS
from deployer.ir.plan import MemoryPlan


@dataclass(frozen=True)
class Arena:
    """One arena array: the part of the plan that lies in ``memory``."""

    memory: str
    array: str
    bytes: int


@dataclass(frozen=True, eq=False)
class ArenaMap:
    """Addresses of values; aliases (Reshape) share the address of what they alias."""

    graph: Graph
    plan: MemoryPlan
    prefix: str

    @property
    def arenas(self) -> tuple[Arena, ...]:
        return tuple(
            Arena(memory, self.array(memory), size) for memory, size in self.plan.heights if size
        )

    def array(self, memory: str) -> str:
        return f"{self.prefix}_arena_{memory}"

    def address(self, value: str, skipped: int = 0) -> str:
        """A C expression, ``skipped`` bytes into the value: ``net_arena_sram + 128``."""
        place = self.plan.at(self._owner(value))
        return f"{self.array(place.memory)} + {place.offset + skipped}"

    def range_text(self, value: str) -> str:
        """``sram[128, 912)`` for comments."""
        place = self.plan.at(self._owner(value))
        end = place.offset + self.graph.values[value].bytes
        return f"{place.memory}[{place.offset}, {end})"

    def _owner(self, value: str) -> str:
        producer = self.graph.producer.get(value)
        if producer is None or not OPS[producer.op].alias:
            return value
        return self._owner(producer.inputs[0])

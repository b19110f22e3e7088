"""Where every value lies in the arena, as C expressions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from deployer.analysis import Pieces, Place, pieces_of, places
from deployer.codegen.statement import Expression, expression
from deployer.ir import Fetch, Graph, InvariantError, MemoryPlan, hwc


@dataclass(frozen=True)
class Arena:
    """One arena array: the part of the plan that lies in ``memory``."""

    memory: str
    array: str
    bytes: int


def tile_array(prefix: str, memory: str) -> str:
    """The C array that holds tiles."""
    return f"{prefix}_tiles_{memory}"


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

    @property
    def prefetched(self) -> Mapping[str, Fetch]:
        """Nodes whose weights are fetched."""
        return self.plan.prefetch.by_node if self.plan.prefetch else {}

    def spilled(self, name: str) -> int:
        """The first byte of a spilled value in the outer memory."""
        assert self.plan.spills is not None
        return self.plan.spills.offsets[name]

    def address(self, name: str, skipped: int = 0) -> Expression:
        """``skipped`` bytes into the value or buffer: ``net_arena_sram + 128``."""
        memory, offset = self._at(name)
        return expression("sum", self.array(memory), offset + skipped)

    def pitches(self, value: str) -> tuple[int, int]:
        """Elements from a pixel of a whole value to the one below, and to the one on its right."""
        _, width, channels = hwc(self.graph.values[value].shape)
        return self._place(value).pitches or (width * channels, channels)

    def pieces(self, value: str) -> Pieces:
        """The bytes of a whole value."""
        whole = self.graph.values[value]
        found = pieces_of(hwc(whole.shape), self._place(value).pitches, whole.dtype.bytes)
        if found is None:
            raise InvariantError(f"{value} is no row of runs")
        return found

    def range_text(self, value: str) -> str:
        """``sram[128, 912)`` for comments; ``sram[128, 912) 8 of every 16`` of a window."""
        memory, offset = self._at(value)
        runs = self.pieces(value)
        end = offset + (runs.count - 1) * runs.pitch + runs.bytes
        every = f" {runs.bytes} of every {runs.pitch}" if runs.count > 1 else ""
        return f"{memory}[{offset}, {end}){every}"

    def _at(self, name: str) -> tuple[str, int]:
        place = self._place(self.inside.get(name, name))
        placed = self.plan.at(place.buffer)
        return placed.memory, placed.offset + place.offset

    def _place(self, name: str) -> Place:
        return self._places.get(name, Place(name))

    @cached_property
    def _places(self) -> Mapping[str, Place]:
        return places(self.graph)

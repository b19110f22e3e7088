"""Schedule, buffers with their places, tiles: the decisions between graph and C."""

from __future__ import annotations

from dataclasses import dataclass

from deployer.ir.graph import Graph


@dataclass(frozen=True)
class Step:
    """One kernel call, ``scratch`` in bytes; ``kernel`` is "" where views leave nothing to do."""

    index: int
    node: str
    kernel: str
    scratch: int = 0


@dataclass(frozen=True, eq=False)
class Schedule:
    """``graph`` and its steps in execution order. ``peak`` is the live-set bound in bytes."""

    graph: Graph
    steps: tuple[Step, ...]
    peak: int


@dataclass(frozen=True)
class Buffer:
    """Bytes needed from step ``lower`` up to, not including, step ``upper``."""

    id: str
    lower: int
    upper: int
    size: int

    def overlaps(self, other: Buffer) -> bool:
        """Whether the two are ever alive together."""
        return self.lower < other.upper and other.lower < self.upper


@dataclass(frozen=True)
class Placement:
    """Where a buffer lies: ``offset`` bytes into the arena of ``memory``."""

    buffer: Buffer
    memory: str
    offset: int


@dataclass(frozen=True)
class MemoryPlan:
    """``heights``: arena bytes per memory. ``bound``: no plan is smaller than this many bytes.

    ``status`` is "optimal" when the height equals a proven bound, else "feasible".
    """

    placements: tuple[Placement, ...]
    heights: tuple[tuple[str, int], ...]
    bound: int
    status: str
    solver: str

    @property
    def arena(self) -> int:
        """Arena bytes over all memories."""
        return sum(height for _, height in self.heights)

    def at(self, name: str) -> Placement:
        for placement in self.placements:
            if placement.buffer.id == name:
                return placement
        raise KeyError(name)


@dataclass(frozen=True)
class StepTiles:
    """How one step is cut. A flat memory needs one tile: the whole output."""

    node: str
    tile: tuple[int, ...]
    count: int = 1


@dataclass(frozen=True)
class TilePlan:
    steps: tuple[StepTiles, ...]

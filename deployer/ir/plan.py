"""Schedule, buffers with their places, tiles: the decisions between graph and C."""

from __future__ import annotations

from dataclasses import dataclass, field

from deployer.choices import Word
from deployer.ir.decode import stored_as
from deployer.ir.graph import Graph
from deployer.ir.prefetch import PrefetchPlan
from deployer.ir.spills import SpillPlan
from deployer.ir.tiling import Tiling


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
class Waits:
    """Estimated cycles of one inference in which the core waits for the arena's memories.

    ``lowest``: those of the plan as it would be without regard to them. ``proven``: no plan of as
    many bytes waits less.
    """

    cycles: int
    lowest: int
    proven: bool

    @property
    def text(self) -> str:
        """``waits 167,410 cycles (estimated), the least in as many bytes; 669,347 otherwise``."""
        best = "the least in as many bytes" if self.proven else "the least known in as many bytes"
        return (
            f"waits {self.cycles:,} cycles (estimated), {best}; "
            f"{self.lowest:,} without regard to them"
        )


@dataclass(frozen=True)
class ConstantPlace:
    """A constant array, first of ``node``: it lies in ``memory`` while the network runs, in
    ``home`` in the image.

    ``misses``: lines of it that the data cache is estimated to miss in one inference at home;
    ``saves``: estimated cycles less than there.
    """

    name: str
    node: str
    bytes: int
    home: str
    memory: str
    misses: int
    saves: int

    @property
    def copied(self) -> bool:
        """Whether start-up copies it."""
        return self.memory != self.home


class PlanStatus(Word):
    """``OPTIMAL``: the height equals a proven bound."""

    OPTIMAL = "optimal"
    FEASIBLE = "feasible"


@dataclass(frozen=True)
class MemoryPlan:
    """``heights``: arena bytes per memory. ``bound``: no plan is smaller than this many bytes.

    ``status`` speaks of bytes. ``waits`` is None where the board states no costs of its memories.
    ``constants``: those whose memory was chosen; of all others the board file says where they lie.
    ``prefetch``: weights that are fetched while the network runs, None when all are there from the
    start. ``spills``: values that lie in the memory behind the arena's, None where all lie in it.
    """

    placements: tuple[Placement, ...]
    heights: tuple[tuple[str, int], ...]
    bound: int
    status: PlanStatus
    solver: str
    waits: Waits | None = None
    constants: tuple[ConstantPlace, ...] = ()
    prefetch: PrefetchPlan | None = field(default=None, metadata=stored_as("stream"))
    spills: SpillPlan | None = None

    @property
    def arena(self) -> int:
        """Arena bytes over all memories."""
        return sum(height for _, height in self.heights)

    @property
    def copies(self) -> dict[str, int]:
        """Bytes of constants that start-up copies into each memory, each padded to 8."""
        found: dict[str, int] = {}
        for place in self.constants:
            if place.copied:
                found[place.memory] = found.get(place.memory, 0) + -(-place.bytes // 8) * 8
        return found

    def at(self, name: str) -> Placement:
        for placement in self.placements:
            if placement.buffer.id == name:
                return placement
        raise KeyError(name)


@dataclass(frozen=True)
class StepTiles:
    """How one step is cut. Without a ``tiling`` its kernel works where the tensors lie, in one
    tile: the whole output."""

    node: str
    tile: tuple[int, ...]
    count: int = 1
    tiling: Tiling | None = None


@dataclass(frozen=True)
class TilePlan:
    """``steps`` in the order of the schedule."""

    steps: tuple[StepTiles, ...]

    @property
    def heights(self) -> dict[str, int]:
        """Bytes of tiles per memory: steps follow one another, so the largest step's."""
        found: dict[str, int] = {}
        for step in self.steps:
            if step.tiling is not None:
                memory = step.tiling.memory
                found[memory] = max(found.get(memory, 0), step.tiling.end)
        return found

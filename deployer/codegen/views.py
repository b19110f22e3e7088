"""What the templates of a network may name."""

from __future__ import annotations

from dataclasses import dataclass, field

from deployer.analysis import Pieces
from deployer.codegen.call import Struct
from deployer.codegen.check import ConstantsView
from deployer.codegen.fetches import FetchView
from deployer.codegen.layout import Arena
from deployer.codegen.pack import PackedArray
from deployer.codegen.region import RegionView
from deployer.codegen.region_channels import ChannelView
from deployer.codegen.statement import Expression, Term
from deployer.codegen.tiles import TilesView


@dataclass(frozen=True)
class RowsView:
    """Rows of an input that are fetched, ``count`` from ``first`` on."""

    input: int
    first: int
    count: int
    row_bytes: int
    into: Expression


@dataclass(frozen=True)
class MoveView:
    """``bytes`` that are spilled from ``inner`` to ``outer`` or reloaded from there, by
    ``function``."""

    function: str
    outer: int
    inner: Expression
    bytes: int


@dataclass(frozen=True)
class StepView:
    """One kernel call as the template shows it, or the calls of a ``region``. Without a ``kernel``
    nothing is left to do: the output is in its place. ``runs`` are the bytes of ``output``.
    ``arguments``: the function whose arguments, written before, a step of the firmware has too, ""
    where it has its own."""

    index: int
    name: str
    title: str
    reads: str
    writes: str
    function: str
    output: Term
    runs: Pieces
    arrays: tuple[PackedArray, ...]
    kernel: str = ""
    struct: str = ""
    args: Struct = field(default_factory=dict)
    parts: tuple[Struct, ...] = ()
    part: str = ""
    arguments: str = ""
    region: RegionView | None = None
    channels: ChannelView | None = None
    tiles: TilesView | None = None
    rows: RowsView | None = None
    move: MoveView | None = None
    alone: bool = False

    @property
    def called(self) -> bool:
        """Whether it runs any code: a Concat whose parts lie in their places does not."""
        moves = self.rows or self.move
        return bool(self.kernel or self.region or self.channels or self.tiles or moves)

    @property
    def single_core(self) -> bool:
        """Whether one core runs it."""
        moves = self.rows is not None or self.move is not None
        return self.alone or self.tiles is not None or moves


@dataclass(frozen=True)
class IoView:
    """A network input or output."""

    name: str
    macro: str
    address: Term
    bytes: int
    element_bytes: int
    scale: str
    zero_point: int
    shape: str


@dataclass(frozen=True)
class NetworkView:
    """Everything the four templates may name. ``prefix``: of the names of its files, and ``build``
    a number that its files have in common; both for libraries."""

    cname: str
    macro: str
    model: str
    sha256: str
    version: str
    options: tuple[str, ...]
    headers: tuple[str, ...]
    arenas: tuple[Arena, ...]
    arena_bytes: int
    inputs: tuple[IoView, ...]
    outputs: tuple[IoView, ...]
    steps: tuple[StepView, ...]
    fetches: tuple[FetchView, ...] = ()
    outer: str = ""
    prefix: str = ""
    build: str = ""
    constants: tuple[ConstantsView, ...] = ()
    threads: int = 1

    @property
    def by_rows(self) -> bool:
        """Whether an input comes by rows."""
        return any(step.rows or (step.region and step.region.fetches) for step in self.steps)

    @property
    def box_tables(self) -> dict[str, int]:
        """Tables that regions fill one after another, with the entries of the largest: they would
        be too much for the stack of each core."""
        regions = [step.region for step in self.steps if step.region]
        rows = max((region.count for region in regions if region.runtime == "patch"), default=0)
        columns = max((region.count for region in regions), default=0)
        return {"row_boxes": rows, "column_boxes": columns}

    @property
    def single_core(self) -> tuple[int, ...]:
        """1 for each step that one core runs, which may offload to the others; nothing where there
        is none, but threads that are told in any case."""
        found = tuple(int(step.single_core) for step in self.steps)
        return found if any(found) or self.threads > 1 else ()

    @property
    def wide_outputs(self) -> bool:
        """Whether an output has elements of more than a byte."""
        return any(io.element_bytes > 1 for io in self.outputs)

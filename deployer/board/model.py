"""A board as data: core, memories, where things go, toolchain, runners."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from deployer.board.cost import BoardCost
from deployer.choices import RequantChoice
from deployer.units import FigureKind

OUTER = 2  # level of a memory that no core can address: only an engine moves its bytes


@dataclass(frozen=True)
class Wait:
    """Cycles the core waits a byte it reads or writes, beyond an access without wait.

    ``kind`` says how the number came about, ``source`` from where.
    """

    cycles_per_byte: float
    kind: FigureKind
    source: str


@dataclass(frozen=True)
class Memory:
    """A named memory. ``size`` in bytes; ``level`` 0 is flat, 1 the closest of a hierarchy,
    2 (OUTER) behind it all; ``wait`` None where nothing is stated; ``loaded``: bytes from ``base``
    on that what boots the chip can load, 0 for all."""

    name: str
    base: int
    size: int
    access: str  # some of "rwx"
    level: int
    wait: Wait | None = None
    loaded: int = 0


@dataclass(frozen=True)
class Dma:
    """A transfer engine between two memories. ``line_cycles``: more for each line of a transfer
    that is not of one run. ``piece_bytes``: longer transfers go in pieces of so many, each with a
    set-up; 0 where they go as one."""

    source: str
    target: str
    bytes_per_cycle: float
    setup_cycles: int
    line_cycles: float
    piece_bytes: int = 0


@dataclass(frozen=True)
class TileControl:
    """Cycles that running a step in tiles takes beside its kernel and its transfers.

    ``step``: of a step, its kernel's code not yet in the cache; ``part``: of a step more, where one
    is divided; ``tile``: of each tile, of the cores that compute. Of the core that leads them:
    ``lead``, a tile; ``axis``, a tile and axis that is cut; ``command``, a command to the DMA;
    ``loop``, until it sees a tile done, gives commands, sees one there and calls; ``early``, until
    the commands for a tile are given. ``kind`` and ``source`` as of a Wait.
    """

    step: float
    part: float
    tile: float
    lead: float
    axis: float
    command: float
    loop: float
    early: float
    kind: FigureKind
    source: str

    def fixed(self, tiles: int) -> float:
        """Cycles of a step beside kernel and transfers."""
        return self.step + self.tile * tiles


@dataclass(frozen=True)
class CodeSize:
    """Bytes of an image's code, for plans that share a memory with it: of the ``harness`` and port,
    and what a step adds beside its kernel, one like another (``again``), and one that runs no code
    (``alias``). ``kind`` and ``source`` as of a Wait."""

    harness: int
    step: int
    again: int
    alias: int
    kind: FigureKind
    source: str


@dataclass(frozen=True)
class Place:
    """Section kind to memory. ``arena`` may name several memories, tried in order; ``copies``:
    memories into which start-up may copy weights, from ``weights``, where their image lies;
    ``hot``: the one into which it may copy code, "" for none."""

    text: str
    weights: str
    data: str
    stack: str
    arena: tuple[str, ...]
    copies: tuple[str, ...] = ()
    hot: str = ""

    @property
    def memories(self) -> tuple[str, ...]:
        """Every memory that something is placed in."""
        hot = (self.hot,) if self.hot else ()
        named = (self.text, self.weights, self.data, self.stack, *self.arena, *self.copies, *hot)
        return tuple(dict.fromkeys(named))


@dataclass(frozen=True)
class Toolchain:
    """``prefix`` is that of the GNU tools ("" is the host's); flags go to every compilation."""

    prefix: str
    package: str  # Debian package that holds the compiler
    cflags: tuple[str, ...] = ()
    ldflags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Cache:
    """``size`` and ``line`` in bytes."""

    size: int
    ways: int
    line: int


@dataclass(frozen=True)
class Costs:
    """Cycles beyond the model of the pipeline, each event."""

    misprediction: float
    data_miss: float
    fetch_miss: float


@dataclass(frozen=True)
class OuterCache:
    """The cache behind those of data and code. Cycles of a line: ``miss`` of one that it lacks too,
    beyond that of the inner cache; ``streamed`` of one that follows others at the same distance, so
    that it was asked for ahead, and ``streamed_miss`` of such a one that comes from memory: what
    the bandwidths allow. ``source`` of the figures."""

    cache: Cache
    miss: float
    streamed: float
    streamed_miss: float
    source: str


@dataclass(frozen=True)
class Timing:
    """What estimates of time are made of. ``pipeline`` names a model of the core; ``tight`` the
    memory beside the caches, ``tight_code`` one of code, "" for none; ``outer`` None where memory
    is behind the first caches. ``error``: stated, of an
    absolute time; ``ratio_error``: of the ratio of two kernels of one kind; both shares of 1."""

    pipeline: str
    data_cache: Cache
    code_cache: Cache
    tight: str
    costs: Costs
    error: float
    ratio_error: float
    tight_code: str = ""
    outer: OuterCache | None = None


@dataclass(frozen=True)
class Point:
    """An operating point: what of a board is another than its file states. ``clock_hz`` None: the
    board's; ``fabric_hz``, ``millivolts``: as of a Board; ``threads`` None: the board's, and the
    user's; ``governor``: of an operating system."""

    name: str
    clock_hz: int | None = None
    fabric_hz: int = 0
    millivolts: int = 0
    threads: int | None = None
    governor: str = ""


@dataclass(frozen=True)
class Board:
    """One board file. ``linker`` is a template under boards/, "" for a hosted program. ``timing``:
    None where nothing estimates time. ``requant``: the requantization rule its kernels are fastest
    with, "auto" for none. ``fabric_hz``: the clock of the core that leads a cluster and of what it
    shares it with, 0 where that is ``clock_hz``; ``millivolts``: the supply that start-up sets, 0
    where it leaves what the chip starts with. ``points``: at which it may be measured beside its
    own; ``point``: that at which it is, "" for its own."""

    name: str
    description: str
    core: str
    clock_hz: int
    port: str
    linker: str
    kernels: tuple[str, ...]
    toolchain: Toolchain
    memories: tuple[Memory, ...]
    place: Place
    stack_bytes: int
    runners: Mapping[str, Mapping[str, object]]
    cores: int
    dmas: tuple[Dma, ...] = ()
    twin_of: str = ""
    cost: BoardCost | None = None  # None: unknown, a general estimate is used
    timing: Timing | None = None
    requant: RequantChoice = RequantChoice.AUTO  # the rule of --requant auto
    tiles: TileControl | None = None  # None: nothing runs in tiles
    code: CodeSize | None = None  # None: weights are never fetched
    chip: str = ""  # as the port calls it, "" where the port runs on any
    file: str = ""  # of a user's own, "" of one that ships
    fabric_hz: int = 0
    millivolts: int = 0
    points: tuple[Point, ...] = ()
    point: str = ""

    @property
    def threads(self) -> int:
        """Of an operating system, which share steps; 1 where the cores are the image's own."""
        return 1 if self.linker else self.cores

    def memory(self, name: str) -> Memory:
        return next(m for m in self.memories if m.name == name)

    def dma(self, source: str, target: str) -> Dma | None:
        """The engine from one memory to another, None where there is none."""
        return next((d for d in self.dmas if (d.source, d.target) == (source, target)), None)

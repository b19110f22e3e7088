"""How one step is cut into tiles that fit the innermost memory, and where they lie in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

from deployer.ir.decode import stored_as


@dataclass(frozen=True)
class Cut:
    """One tile along an axis: ``count`` elements of the output from ``begin`` on, the ``inputs``
    elements of the input from ``first`` on that they need, and how far the window reaches
    ``before`` and ``after`` the tensor."""

    begin: int
    count: int
    first: int
    inputs: int
    before: int = 0
    after: int = 0

    @property
    def kind(self) -> tuple[int, int, int, int]:
        """What it has in common with tiles of its size and pads."""
        return self.count, self.inputs, self.before, self.after


@dataclass(frozen=True)
class Axis:
    """An axis cut into tiles of ``tile`` elements of the output, the last with what is left.

    Output o needs the inputs from o * ``stride`` - ``pad`` on, ``taps`` of them (paper 004,
    section 4.2.1); those outside the tensor are padding. With ``up``, of a transposed convolution,
    it needs those i for which o is one of the ``taps`` from i * ``stride`` - ``pad`` on.
    """

    tile: int
    outputs: int
    inputs: int
    stride: int = 1
    taps: int = 1
    pad: int = 0
    up: bool = False

    def offset(self, cut: Cut, *, padded: bool) -> int:
        """With ``up``: the first output of ``cut``, counted from where its first input begins to
        reach: one of its own, or where it is ``padded`` of those that are before the tensor."""
        return self.pad + cut.begin - (cut.first - padded * cut.before) * self.stride

    def _span(self, begin: int, count: int) -> tuple[int, int]:
        """The first input of so many outputs, and the one behind the last."""
        if self.up:
            first = -((self.taps - 1 - self.pad - begin) // self.stride)
            return first, (begin + count - 1 + self.pad) // self.stride + 1
        low = begin * self.stride - self.pad
        return low, low + (count - 1) * self.stride + self.taps

    @property
    def count(self) -> int:
        """Tiles."""
        return -(-self.outputs // self.tile)

    @property
    def most_inputs(self) -> int:
        """Elements of the input that the tile with most of them needs."""
        return max(cut.inputs for cut in self.kinds)

    def cut(self, index: int) -> Cut:
        """Tile ``index`` from 0 on. A single one takes all of the input."""
        begin = index * self.tile
        count = min(self.tile, self.outputs - begin)
        low, high = self._span(begin, count)
        if self.count == 1:
            return Cut(0, count, 0, self.inputs, max(0, -low), max(0, high - self.inputs))
        first = min(max(low, 0), self.inputs)
        end = max(min(high, self.inputs), first)
        return Cut(begin, count, first, end - first, max(0, -low), max(0, high - self.inputs))

    @cached_property
    def cuts(self) -> tuple[Cut, ...]:
        return tuple(self.cut(index) for index in range(self.count))

    @cached_property
    def kinds(self) -> tuple[Cut, ...]:
        """One tile of each size and pads. Those between the first and the last whose windows lie
        inside the tensor are like these."""
        if self.up:
            return tuple({cut.kind: cut for cut in self.cuts}.values())
        step = self.tile * self.stride
        first = min(-(-self.pad // step), self.count - 1)
        room = self.inputs + self.pad - (self.tile - 1) * self.stride - self.taps
        last = min(room // step, self.outputs // self.tile - 1)
        numbers = chain(range(first + 1), range(max(first + 1, last), self.count))
        return tuple({cut.kind: cut for cut in map(self.cut, numbers)}.values())

    @cached_property
    def kind_of_each(self) -> tuple[int, ...]:
        """Which of ``kinds`` each tile is."""
        index = {cut.kind: number for number, cut in enumerate(self.kinds)}
        return tuple(index[cut.kind] for cut in self.cuts)


@dataclass(frozen=True)
class TileBuffer:
    """``sides`` arrays of ``size`` bytes from ``offset`` on, which tiles take in turn."""

    id: str
    offset: int
    size: int
    sides: int = 1

    @property
    def end(self) -> int:
        return self.offset + self.sides * self.size


@dataclass(frozen=True)
class TileCosts:
    """Estimated cycles of a step: all of it, of these in kernels alone, waiting for transfers; and
    the bytes that move into the innermost memory and out of it. ``early``: whether commands for the
    second tile are better given before the first is computed."""

    cycles: int
    compute: int
    waiting: int
    bytes_in: int
    bytes_out: int
    early: bool = False


@dataclass(frozen=True)
class Tiling:
    """``memory`` holds the ``buffers``, each as long as the step runs.

    ``sliced``: a tile of channels needs some channels of the input, otherwise all of them:
    ``depth`` for each ``unit`` of output channels, those of a group or of an input channel.
    ``group_bytes``: of the weights of four output channels, 0 without weights.
    ``channels_inner``: all channels of a place before the next place, otherwise the reverse.
    ``prefetched``: what no other step writes, arguments and weights of the first tile, is fetched
    while the step in tiles before this one computes its last, which leaves those bytes alone;
    of ``distance`` 2 already beside the one before that, as the step between has one tile.
    ``kept``: the input that the step before left there, whole, so that nothing loads it; "" for
    none. ``border_padding``: zero points lie between the rows of its input. ``serial``: nothing
    moves while the kernel works, since arrays have no room twice. ``late``: its output is written
    back while the next step computes, which has it as ``kept``. ``gathered``: the output of all
    tiles lies there as a whole, each tile's in its place.
    """

    memory: str
    rows: Axis
    columns: Axis
    channels: Axis
    sliced: bool
    group_bytes: int
    channels_inner: bool
    buffers: tuple[TileBuffer, ...]
    costs: TileCosts
    prefetched: bool = field(default=False, metadata=stored_as("ahead"))
    kept: str = ""
    border_padding: bool = field(default=False, metadata=stored_as("beside"))
    unit: int = 1
    depth: int = 1
    serial: bool = False
    late: bool = False
    distance: int = 1
    gathered: bool = False

    def input_channels(self, channels: int) -> int:
        """Those that a tile of so many output channels needs, where it is ``sliced``."""
        return max(channels // self.unit, 1) * self.depth

    @property
    def count(self) -> int:
        return self.rows.count * self.columns.count * self.channels.count

    @property
    def bytes(self) -> int:
        return sum(buffer.sides * buffer.size for buffer in self.buffers)

    @property
    def end(self) -> int:
        return max(buffer.end for buffer in self.buffers)

    def buffer(self, name: str) -> TileBuffer:
        return next(buffer for buffer in self.buffers if buffer.id == name)

    @property
    def busy_at_end(self) -> tuple[tuple[int, int], ...]:
        """Where bytes begin and end that are in use while the last tile is computed: of inputs and
        weights its side alone; what the tile before made may still be on its way."""
        return tuple(map(self._busy_at_end, self.buffers))

    def _busy_at_end(self, buffer: TileBuffer) -> tuple[int, int]:
        if buffer.sides == 1 or buffer.id in ("turns", "output"):
            return buffer.offset, buffer.end
        loads = self._weight_loads if buffer.id == "weights" else self._input_loads
        offset = buffer.offset + (loads - 1) % 2 * buffer.size
        return offset, offset + buffer.size

    @property
    def _input_loads(self) -> int:
        """Tiles whose inputs the tile before had not."""
        places = self.rows.count * self.columns.count
        if places == 1 and not self.sliced:
            return 1
        return places if self.channels_inner and not self.sliced else self.count

    @property
    def _weight_loads(self) -> int:
        """Tiles whose weights the tile before had not."""
        if self.channels.count == 1:
            return 1
        return self.count if self.channels_inner else self.channels.count


SLOPE_TABLES = {"multiplier": 4, "rounding": 4, "shift": 1}  # bytes of an entry, in their order


def slope_table_bytes(channels: int) -> int:
    """Of the requantization of a PRelu: an entry for all channels, and one for each."""
    return sum(SLOPE_TABLES.values()) * (channels + 1)


def input_name(index: int) -> str:
    """The buffer of an operand: ``input``, ``input_1`` …"""
    return f"input_{index}" if index else "input"

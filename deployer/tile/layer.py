"""What the tiler sees of a step: its geometry, its kernel, the bytes of weights a tile needs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np

from deployer.ir import (
    AFFINE,
    OPS,
    OVER,
    Axis,
    Cut,
    Entries,
    Graph,
    Node,
    Pads,
    hwc,
    slope_table_bytes,
)
from deployer.kernelset import GROUP_CHANNELS as GROUP
from deployer.kernelset import (
    Kernel,
    KernelCase,
    case_of,
    keeps_rows,
    magnifies,
    pieces_of,
    tiled_case,
    weight_bytes,
)

TRANSPOSED, ROWS_ALONE = "ConvTranspose2d", "Transpose"
UP = (TRANSPOSED, "Resize")  # an input has several outputs
TABLE_BYTES = {"s8": 256, "s16": 2 * 513}  # an entry for every int8, of int16 at every 128th
Channels = TypeVar("Channels", int, np.ndarray)  # of one tile, or of many


@dataclass(frozen=True)
class Layer:
    """``case``: the whole step. ``sliced``: output channels need some of the input, not all.
    ``group_bytes``: weights of GROUP output channels, 0 without weights. ``overlap_offset``:
    bytes by which the output begins before the input whose bytes it takes, None where it takes
    none. ``serial``: nothing moves while the kernel works, so that each array is there once."""

    kernel: Kernel
    case: KernelCase
    sliced: bool
    group_bytes: int
    overlap_offset: int | None = None
    serial: bool = False

    @property
    def sides(self) -> int:
        """Of an array that is filled or emptied while the kernel works on it."""
        return 1 if self.serial else 2

    @property
    def extents(self) -> tuple[int, int, int]:
        """Rows, columns and channels of the output."""
        return hwc(self.case.out_shape)

    @property
    def images(self) -> int:
        """Inputs that are cut as the output is."""
        return self.case.pixels.count(False)

    @property
    def blocked(self) -> bool:
        """Whether blocks of its input or output are transposed, so that rows stay whole."""
        return self.case.blocked_input or self.case.blocked_output

    def rows(self, tile: int) -> Axis:
        return self._axis(0, tile)

    def columns(self, tile: int) -> Axis:
        return self._axis(1, tile)

    def _axis(self, axis: int, tile: int) -> Axis:
        case = self.case
        pad = (case.pads.top, case.pads.left)[axis]
        inputs = hwc(self.case.image)[axis]
        taps, stride = (case.kernel[axis] - 1) * case.dilation[axis] + 1, case.stride[axis]
        up = case.op in UP
        if up:  # so that the outputs of all tiles meet the remainders of the stride in one order
            tile = min(-(-tile // stride) * stride, self.extents[axis])
        return Axis(tile, self.extents[axis], inputs, stride, taps, pad, up)

    def _transposed_pads(self, rows: Cut, columns: Cut) -> Pads:
        """Of outputs: how many of those that the first input reaches are before the tile."""
        axes = zip((self.rows(1), self.columns(1)), (rows, columns), strict=True)
        top, left = (axis.offset(cut, padded=False) for axis, cut in axes)
        return Pads(top, left, 0, 0)

    def channels(self, tile: int) -> Axis:
        return Axis(tile, self.extents[2], self.extents[2])

    def border_padding(self, columns: Cut) -> int:
        """Pixels of zero points between the rows of a tile's input, before and behind them all."""
        return max(columns.before, columns.after) if self._has_border_padding else 0

    @cached_property
    def _has_border_padding(self) -> bool:
        return self.kernel.border_padding(self.case)

    @cached_property
    def unit(self) -> int:
        """Output channels that need the same ones of the input, where it is ``sliced``."""
        case = self.case
        if case.mixes:
            return case.out_channels // case.groups
        return case.multiplier if OPS[case.op].linear else 1

    @cached_property
    def depth(self) -> int:
        """How many those are."""
        return self.case.in_channels // self.case.groups if self.case.mixes else 1

    def inner(self, channels: Channels) -> Channels:
        """Channels of the input of a tile of so many of the output."""
        if not self.sliced:
            return channels * 0 + self.case.in_channels
        units: Channels = channels // self.unit
        found: Channels = (units + (units == 0)) * self.depth
        return found

    @cached_property
    def depths(self) -> tuple[int, ...]:
        """Output channels of tiles that can be, the fewest first: weights come in groups of four.
        Groups of a convolution come whole, as many in each tile, or are cut evenly. Those whose
        taps fill no words are never alone: the kernel would take their weights for one run a row
        (deployer/kernelset/layouts/x4c4.py)."""
        case, channels = self.case, self.extents[2]
        if case.op == ROWS_ALONE:
            return (channels,)
        if case.grouped and not self._has_biases_between:
            parts = {n for n in range(GROUP, self.unit, GROUP) if self.unit % n == 0}
            whole = {n * self.unit for n in range(1, case.groups + 1) if case.groups % n == 0}
            alone = case.kernel[1] == 1 or self.depth % GROUP == 0
            return tuple(sorted(parts | whole if alone else whole - {self.unit}))
        if self._has_biases_between:
            return (channels,)
        if case.op == TRANSPOSED:
            return tuple(
                n for n in range(1, channels + 1) if channels % n == 0 and _fills(n, channels)
            )
        step = GROUP * self.unit if self.sliced else GROUP
        return tuple(min(channels, n) for n in range(step, channels + step, step))

    @property
    def _has_biases_between(self) -> bool:
        """Whether biases lie between the weights of a transposed convolution's remainders."""
        case = self.case
        return case.op == TRANSPOSED and case.act == "s8" and case.rule not in AFFINE

    def weight_bytes(self, channels: Channels) -> Channels:
        """Each group of channels begins with a piece of its own."""
        unit = self.unit if self.case.grouped else self.extents[2]
        return pieces_of(channels, unit) * self.group_bytes

    @property
    def table_bytes(self) -> int:
        """Of a function's table, which all channels read, or of the slopes of all channels."""
        spec = OPS[self.case.op]
        if spec.entries is Entries.SLOPES:
            return slope_table_bytes(self.case.out_channels)
        return TABLE_BYTES[self.case.act] if spec.lookup else 0

    def tile_case(self, rows: Cut, columns: Cut, channels: int) -> KernelCase:
        """The call of the kernel that computes one tile."""
        case = self.case
        depth = self.inner(channels)
        groups = max(channels // self.unit, 1) if case.groups > 1 else 1
        pads = Pads(rows.before, columns.before, rows.after, columns.after)
        if case.op == TRANSPOSED:
            pads = self._transposed_pads(rows, columns)
        if len(case.out_shape) == 2:
            return case.varied(in_shapes=((1, depth),), out_shape=(1, channels))
        shape = (1, rows.inputs, columns.inputs, depth)
        if self.border_padding(columns):
            shape = (1, rows.inputs, columns.before + columns.inputs + columns.after, depth)
            left = self.columns(1).offset(columns, padded=True) if case.op == TRANSPOSED else 0
            pads = replace(pads, left=left, right=0)
        out = (1, rows.count, columns.count, channels)
        inputs = tuple((1, 1, 1, depth) if pixel else shape for pixel in case.pixels)
        return case.varied(
            in_shapes=inputs, out_shape=out, pads=pads, contiguous=True, groups=groups
        )


def layer_of(graph: Graph, node: Node, kernel: Kernel) -> Layer | None:
    """What can be cut of ``node``, computed by ``kernel``; None when it has to stay whole."""
    case = tiled_case(graph, node, kernel)
    moves = keeps_rows(node) or magnifies(node)
    if kernel.cycles is None or not (moves or _divides(case)):
        return None
    size = _group_bytes(graph, node, kernel)
    sliced = OPS[node.op].channelwise or case.grouped or magnifies(node)
    return Layer(kernel, case, sliced, size, _overlap_offset(graph, node))


def _fills(part: int, channels: int) -> bool:
    """Whether parts of so many channels begin with pieces of the weights."""
    return part % GROUP == 0 or part == channels


def _overlap_offset(graph: Graph, node: Node) -> int | None:
    offsets = [s.overlap_offset for s in graph.shares if s.node == node.name and s.kind == OVER]
    return min(offsets, default=None)


def _divides(case: KernelCase) -> bool:
    """Operands of one shape, or a pixel beside them."""
    spec, channels = OPS[case.op], case.in_channels
    images = set(case.in_shapes)
    if spec.elementwise and len(images) > 1:
        images -= {(1, 1, 1, channels)}
    return (spec.channelwise or case.mixes) and len(images) == 1


def _group_bytes(graph: Graph, node: Node, kernel: Kernel) -> int:
    if not kernel.weight_layout:
        return 0
    weights = graph.constants[node.inputs[1]]
    case = case_of(graph, node)
    unit = case.out_channels // (case.groups if case.grouped else 1)
    return weight_bytes(kernel, weights, case) // pieces_of(case.out_channels, unit)

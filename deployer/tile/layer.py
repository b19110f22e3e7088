"""What the tiler sees of a step: its geometry, its kernel, the bytes of weights a tile needs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np

from deployer.ir import OPS, OVER, Axis, Cut, Entries, Graph, Node, Pads, hwc
from deployer.kernelset import GROUP_CHANNELS as GROUP
from deployer.kernelset import Kernel, KernelCase, case_of, packed_bytes

TABLE_BYTES = 256  # an entry for every int8
Channels = TypeVar("Channels", int, np.ndarray)  # of one tile, or of many


@dataclass(frozen=True)
class Layer:
    """``case``: the whole step. ``sliced``: output channels need the same ones of the input, not
    all. ``group_bytes``: weights of GROUP output channels, 0 without weights. ``overlap_offset``:
    bytes by which the output begins before the input whose bytes it takes, None where it takes
    none."""

    kernel: Kernel
    case: KernelCase
    sliced: bool
    group_bytes: int
    overlap_offset: int | None = None

    @property
    def extents(self) -> tuple[int, int, int]:
        """Rows, columns and channels of the output."""
        return hwc(self.case.out_shape)

    def rows(self, tile: int) -> Axis:
        return self._axis(0, tile)

    def columns(self, tile: int) -> Axis:
        return self._axis(1, tile)

    def _axis(self, axis: int, tile: int) -> Axis:
        case = self.case
        pad = (case.pads.top, case.pads.left)[axis]
        inputs = hwc(case.in_shapes[0])[axis]
        taps = (case.kernel[axis] - 1) * case.dilation[axis] + 1
        return Axis(tile, self.extents[axis], inputs, case.stride[axis], taps, pad)

    def channels(self, tile: int) -> Axis:
        return Axis(tile, self.extents[2], self.extents[2])

    def border_padding(self, columns: Cut) -> int:
        """Pixels of zero points between the rows of a tile's input, before and behind them all."""
        return max(columns.before, columns.after) if self._has_border_padding else 0

    @cached_property
    def _has_border_padding(self) -> bool:
        return self.kernel.border_padding(self.case)

    def weight_bytes(self, channels: Channels) -> Channels:
        return -(-channels // GROUP) * self.group_bytes

    @property
    def table_bytes(self) -> int:
        """Of a function's table, which all channels read."""
        return TABLE_BYTES if OPS[self.case.op].lookup else 0

    def tile_case(self, rows: Cut, columns: Cut, channels: int) -> KernelCase:
        """The call of the kernel that computes one tile."""
        case = self.case
        depth = channels if self.sliced else case.in_channels
        pads = Pads(rows.before, columns.before, rows.after, columns.after)
        if len(case.out_shape) == 2:
            return replace(case, in_shapes=((1, depth),), out_shape=(1, channels))
        shape = (1, rows.inputs, columns.inputs, depth)
        if self.border_padding(columns):
            shape = (1, rows.inputs, columns.before + columns.inputs + columns.after, depth)
            pads = replace(pads, left=0, right=0)
        out = (1, rows.count, columns.count, channels)
        inputs = (shape,) * len(case.in_shapes)
        return replace(case, in_shapes=inputs, out_shape=out, pads=pads, contiguous=True)


def layer_of(graph: Graph, node: Node, kernel: Kernel) -> Layer | None:
    """What can be cut of ``node``, computed by ``kernel``; None when it has to stay whole."""
    case = case_of(graph, node)
    if kernel.cycles is None or not _divides(case):
        return None
    size = _group_bytes(graph, node, kernel)
    return Layer(kernel, case, OPS[node.op].channelwise, size, _overlap_offset(graph, node))


def _overlap_offset(graph: Graph, node: Node) -> int | None:
    offsets = [s.overlap_offset for s in graph.shares if s.node == node.name and s.kind == OVER]
    return min(offsets, default=None)


def _divides(case: KernelCase) -> bool:
    """One group or as many as channels, operands of one shape."""
    spec = OPS[case.op]
    if spec.entries is Entries.SLOPES or not (spec.channelwise or spec.partial_sums):
        return False
    if spec.partial_sums and case.groups > 1:
        return False
    if spec.linear and spec.channelwise and case.multiplier != 1:
        return False
    return len(set(case.in_shapes)) == 1


def _group_bytes(graph: Graph, node: Node, kernel: Kernel) -> int:
    if not kernel.weight_layout:
        return 0
    weights = graph.constants[node.inputs[1]]
    case = case_of(graph, node)
    whole = packed_bytes(kernel.weight_layout, weights, case.stride, case.groups)
    return whole // -(-graph.values[node.output].shape[-1] // GROUP)

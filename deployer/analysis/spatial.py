"""Which rows or columns of an input a range of an operator's output needs, an axis at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from deployer.ir import (
    OPS,
    BlockAttrs,
    ConcatAttrs,
    ConvAttrs,
    ConvTransposeAttrs,
    Graph,
    Node,
    PadAttrs,
    PoolAttrs,
    ResizeAttrs,
    ResizeMode,
    SliceAttrs,
)

# int or numpy array: every rule below is plain arithmetic on either
Range = tuple[Any, Any]


@dataclass(frozen=True)
class Reach:
    """The rule of one input along one axis, ``extent`` long; ``made`` is the output's extent.

    Output o reads positions o * stride - pad, ... of ``span`` in all. ``up``: the other way round,
    position i reaches outputs i * stride - pad, ... of ``span`` in all (transposed convolution,
    magnification).
    ``fixed``: every output reads all of the input, which is broadcast.
    """

    extent: int
    made: int
    stride: int = 1
    span: int = 1
    pad: int = 0
    up: bool = False
    fixed: bool = False

    def beyond(self, lo: Any, hi: Any) -> Range:
        """Input range of outputs [lo, hi), beyond the tensor where it is padded."""
        if self.fixed:
            return lo * 0, lo * 0 + self.extent
        if self.up:
            first = -((self.span - 1 - self.pad - lo) // self.stride)
            return first, (hi - 1 + self.pad) // self.stride + 1
        return lo * self.stride - self.pad, (hi - 1) * self.stride - self.pad + self.span

    def pads(self, lo: int, hi: int) -> tuple[int, int]:
        """What to put in place of the window's pads for outputs [lo, hi): padding beyond the
        input's piece, or with ``up`` what is cropped of all that the piece reaches. Negative where
        a window lies wholly in the padding behind the input, which only a Pad can express."""
        return self.pads_beside(lo, hi, *need(self, lo, hi))

    def pads_beside(self, lo: Any, hi: Any, first: Any, last: Any) -> Range:
        """``pads`` where [first, last) of the input is what outputs [lo, hi) read."""
        if self.up:
            before = lo + self.pad - first * self.stride
            return before, (last - 1 - first) * self.stride + self.span - before - (hi - lo)
        begin, end = self.beyond(lo, hi)
        return first - begin, end - last

    def mirrored(self) -> Reach:
        """The same rule counted from the other end."""
        if self.up:
            whole, part = self.extent, self.made
        else:
            whole, part = self.made, self.extent
        return replace(self, pad=(whole - 1) * self.stride + self.span - part - self.pad)


def need(reach: Reach, lo: int, hi: int) -> tuple[int, int]:
    """Positions of the input that outputs [lo, hi) read: inside the tensor, at least one."""
    first, last = reach.beyond(lo, hi)
    first = min(max(first, 0), reach.extent - 1)
    return first, max(min(last, reach.extent), first + 1)


def needs(reach: Reach, lo: np.ndarray, hi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """``need`` for many ranges."""
    first, last = reach.beyond(lo, hi)
    first = np.clip(first, 0, reach.extent - 1)
    return first, np.maximum(np.minimum(last, reach.extent), first + 1)


def reaches(graph: Graph, node: Node) -> tuple[tuple[str, Reach, Reach], ...]:
    """For each activation the node reads: its name, the rule of rows, the rule of columns."""
    out = graph.values[node.output].shape
    rows = []
    for name in graph.activations(node):
        shape = graph.values[name].shape
        down, across = (_reach(node, shape, out, axis) for axis in (0, 1))
        rows.append((name, down, across))
    return tuple(rows)


def _reach(node: Node, shape: Sequence[int], out: Sequence[int], axis: int) -> Reach:
    """Raises NotImplementedError for an operator whose rule nobody stated."""
    attrs, extent, made = node.attrs, shape[1 + axis], out[1 + axis]
    if isinstance(attrs, ConvAttrs | PoolAttrs | ConvTransposeAttrs):
        window = attrs.window
        pad = (window.pads.top, window.pads.left)[axis]
        span = (window.kernel[axis] - 1) * window.dilation[axis] + 1
        stride = window.stride[axis]
        if isinstance(attrs, ConvTransposeAttrs):  # outputs between two windows belong to the first
            return Reach(extent, made, stride, max(span, stride), pad, up=True)
        return Reach(extent, made, stride, span, pad)
    if isinstance(attrs, ResizeAttrs):
        return _magnified(attrs, extent, made, axis)
    if isinstance(attrs, BlockAttrs):
        return Reach(extent, made, attrs.block, attrs.block, up=made > extent)
    if isinstance(attrs, SliceAttrs):
        return Reach(extent, made, pad=-attrs.begin[1 + axis])
    if isinstance(attrs, PadAttrs):
        return Reach(extent, made, pad=attrs.before[1 + axis])
    if isinstance(attrs, ConcatAttrs) or OPS[node.op].elementwise:
        return Reach(extent, made, fixed=extent == 1 and made > 1)
    raise NotImplementedError(f"{node.op} {node.name}: no rule for the rows and columns it reads")


def _magnified(attrs: ResizeAttrs, extent: int, made: int, axis: int) -> Reach:
    """Nearest: an input reaches its copies. Linear: the outputs between its two neighbours, whose
    distance to it has weight; none lies at its own place unless samples align at corners."""
    factor = attrs.factors[axis]
    if attrs.mode == ResizeMode.NEAREST or factor == 1:
        return Reach(extent, made, factor, factor, attrs.start[axis], up=True)
    if attrs.half_pixel:
        return Reach(extent, made, factor, 2 * factor, factor // 2, up=True)
    return Reach(extent, made, factor, 2 * factor - 1, factor - 1, up=True)

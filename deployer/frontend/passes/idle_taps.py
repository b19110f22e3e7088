"""Taps of a convolution that meet nothing but padding leave its window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from deployer.frontend.passes.draft import Draft
from deployer.frontend.passes.edit import Edit, fresh, only_reader
from deployer.ir import Node, Pads, Window

Sides = Sequence[int]  # rows, columns
WEIGHT_ROWS = {"Conv2d": 1, "DepthwiseConv2d": 0, "ConvTranspose2d": 1}  # axis of the weights


@dataclass(frozen=True)
class _Axis:
    """``count`` windows that lie on ``extent`` elements: of a transposed convolution one for each
    input, on its outputs."""

    taps: int
    stride: int
    dilation: int
    before: int
    after: int
    count: int
    extent: int

    @property
    def span(self) -> int:
        return (self.taps - 1) * self.dilation + 1

    @property
    def idle(self) -> tuple[int, int]:
        """Taps before and behind all that meet an element, if their padding goes with them."""
        meets = [self._meets(tap) for tap in range(self.taps)]
        if not any(meets):
            return 0, 0
        first, last = meets.index(True), meets[::-1].index(True)
        return min(first, self.before // self.dilation), min(last, self.after // self.dilation)

    def _meets(self, tap: int) -> bool:
        places = np.arange(self.count) * self.stride + tap * self.dilation - self.before
        return bool(np.any((places >= 0) & (places < self.extent)))


def imported_window(op: str, window: Window, inputs: Sides, outputs: Sides) -> Window:
    """That which the importer leaves of a convolution's, between so many rows and columns."""
    return _window(*(_narrowed(axis, op) for axis in _axes(op, window, inputs, outputs)))


def drop_idle_taps(graph: Draft, node: Node) -> Edit | None:
    """A window without the first and last rows and columns that meet only padding, which is zero:
    of three columns one where the image has one."""
    if node.op not in WEIGHT_ROWS:
        return None
    sides = (graph.values[name].shape[1:3] for name in (node.first, node.output))
    axes = _axes(node.op, node.attrs.window, *sides)
    window = _window(*(_narrowed(axis, node.op) for axis in axes))
    if window == node.attrs.window:
        return None
    edit, weights = Edit(), node.inputs[1]
    if window.kernel != node.attrs.window.kernel:
        kept = tuple(slice(axis.idle[0], axis.taps - axis.idle[1]) for axis in axes)
        weights = _cut(graph, edit, node, (*[slice(None)] * WEIGHT_ROWS[node.op], *kept))
    inputs = (node.first, weights, *node.inputs[2:])
    attrs = replace(node.attrs, window=window)
    edit.nodes[node.name] = (replace(node, inputs=inputs, attrs=attrs),)
    return edit


def _axes(op: str, window: Window, inputs: Sides, outputs: Sides) -> tuple[_Axis, _Axis]:
    read, made = (outputs, inputs) if op == "ConvTranspose2d" else (inputs, outputs)
    pads = window.pads
    sides = ((pads.top, pads.bottom), (pads.left, pads.right))
    rows, columns = (
        _Axis(window.kernel[n], window.stride[n], window.dilation[n], *sides[n], made[n], read[n])
        for n in (0, 1)
    )
    return rows, columns


def _narrowed(axis: _Axis, op: str) -> _Axis:
    first, last = axis.idle
    kept = replace(
        axis,
        taps=axis.taps - first - last,
        before=axis.before - first * axis.dilation,
        after=axis.after - last * axis.dilation,
    )
    if axis.count > 1:
        return kept
    return replace(kept, stride=kept.taps) if op == "ConvTranspose2d" else _alone(axis, kept)


def _alone(axis: _Axis, kept: _Axis) -> _Axis:
    """One window of a convolution that became narrower: at stride 1, which fast kernels want, if
    there is still one then. That of a transposed one steps by its taps: each output meets one."""
    after = kept.span - kept.before - kept.extent
    return replace(kept, stride=1, after=after) if kept != axis and after >= 0 else kept


def _window(rows: _Axis, columns: _Axis) -> Window:
    return Window(
        (rows.taps, columns.taps),
        (rows.stride, columns.stride),
        (rows.dilation, columns.dilation),
        Pads(rows.before, columns.before, rows.after, columns.after),
    )


def _cut(graph: Draft, edit: Edit, node: Node, kept: tuple[slice, ...]) -> str:
    """The name of the weights that stay; other readers keep all."""
    name = node.inputs[1]
    own = name if only_reader(graph, name) else fresh(graph, f"{node.name}/taps")
    edit.constants[own] = np.ascontiguousarray(graph.constants[name][kept])
    shape = edit.constants[own].shape
    edit.values[own] = replace(graph.values[name], name=own, shape=shape)
    return own

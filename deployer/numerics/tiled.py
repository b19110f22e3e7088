"""Run a graph on numpy as a device would: regions piece by piece, in buffers of limited size.

Every buffer is an array of bytes that begins poisoned, at the first step of its lifetime, and ends
poisoned; rings wrap; overlapping tensors share bytes, and what only one of them needs is poisoned
before its birth and after its death. A plan that keeps too little gives other integers than the
plain graph. Each step reads all its inputs before it writes: what a kernel may overwrite meanwhile
is kernelset.overlap_offset's to say.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from deployer.analysis import ChannelLayout, Ends, Operand, Piece, RegionLayout, layout_of
from deployer.ir import (
    OPS,
    ConcatAttrs,
    ConvAttrs,
    ConvTransposeAttrs,
    Graph,
    Node,
    PadAttrs,
    Pads,
    PoolAttrs,
    ResizeAttrs,
    ResizeMode,
    SliceAttrs,
    viewed,
)
from deployer.numerics.device import Device
from deployer.numerics.interpret import evaluate
from deployer.numerics.rearrange import nearest
from deployer.numerics.tiled_channels import InGroups


def run_tiled(graph: Graph, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Outputs of one sample (batch 1) of the graph's type."""
    return _Inference(graph).run(inputs)


class _Inference:
    """The steps of a graph on a device, one after the other."""

    def __init__(self, graph: Graph):
        self._graph, self._device = graph, Device(graph)

    def run(self, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        graph = self._graph
        for name in graph.inputs:
            if name not in graph.by_rows:
                self._device.whole(name)[...] = inputs[name][0]
        layouts = {r.nodes[-1]: layout_of(graph, r) for r in graph.regions}
        inside = {name for region in graph.regions for name in region.nodes}
        for node in graph.nodes:
            layout = layouts.get(node.name)
            if isinstance(layout, ChannelLayout):
                InGroups(self._device, layout).run()
            elif layout is not None:
                _Regional(self._device, layout, inputs).run()
            elif node.name not in inside and not OPS[node.op].alias:
                self._plain(node, inputs)
        return {name: self._output(name, inputs) for name in graph.outputs}

    def _plain(self, node: Node, inputs: Mapping[str, np.ndarray]) -> None:
        self._device.poison(self._device.step(node))
        fetched = {name: inputs[name][:1] for name in self._graph.by_rows if name in node.inputs}
        args = [fetched[n] if n in fetched else self._operand(n) for n in node.inputs]
        result = evaluate(self._graph, node, args)[0]
        output, before = self._device.whole(node.output), self._device.whole(node.output).copy()
        output[...] = result
        if there := viewed(self._graph, node):
            self._leave(node, there, before)

    def _leave(self, node: Node, there: Container[str], before: np.ndarray) -> None:
        """Undo what a Concat or Slice would have copied, had it not been there already."""
        output = self._device.whole(node.output)
        if not isinstance(node.attrs, ConcatAttrs):
            output[...] = before
            return
        names, axis = self._graph.activations(node), node.attrs.axis - 1
        ends = np.cumsum([self._graph.values[name].shape[axis + 1] for name in names])
        for name, end in zip(names, ends, strict=True):
            extent = self._graph.values[name].shape[axis + 1]
            at = (slice(None),) * axis + (slice(end - extent, end),)
            if name in there:
                output[at] = before[at]

    def _operand(self, name: str) -> np.ndarray:
        constant = self._device.constant(name)
        return self._device.whole(name)[None].copy() if constant is None else constant

    def _output(self, name: str, inputs: Mapping[str, np.ndarray]) -> np.ndarray:
        constant = self._device.constant(name)
        return self._device.whole(name)[None].copy() if constant is None else constant


class _Regional:
    """One region on the device."""

    def __init__(self, device: Device, layout: RegionLayout, inputs: Mapping[str, np.ndarray]):
        self._device, self._layout, self._inputs = device, layout, inputs
        self._nodes = {node.output: node for node in layout.scope.nodes}

    def run(self) -> None:
        device, layout = self._device, self._layout
        tiles = set(layout.stored)
        for i, node in enumerate(layout.scope.nodes):
            device.poison(device.step(node), None if i == 0 else device.buffers_but(tiles))
        for piece in layout.pieces():
            if not layout.line_buffered:
                device.poison(device.step(self._nodes[piece.value]), tiles)
            self._call(piece)

    def _call(self, piece: Piece) -> None:
        node = self._nodes.get(piece.value)
        if node is None:
            (top, bottom), (left, right) = piece.rows, piece.columns
            result = self._inputs[piece.value][:, top:bottom, left:right]
        else:
            names = self._device.graph.activations(node)
            boxes = dict(zip(range(len(names)), self._layout.operands(piece), strict=True))
            tensors = iter(self._read(boxes[i], piece) for i in range(len(names)))
            args = [
                next(tensors) if (c := self._device.constant(n)) is None else c for n in node.inputs
            ]
            result = self._evaluated(node, piece, args)
        self._write(piece, result[0])

    def _evaluated(self, node: Node, piece: Piece, args: list[np.ndarray]) -> np.ndarray:
        attrs = node.attrs
        if isinstance(attrs, ResizeAttrs) and attrs.mode == ResizeMode.NEAREST:
            return self._copied(attrs, piece, args[0])
        result = evaluate(self._device.graph, self._fitted(node, piece), args)
        return self._cut(node, piece, result)

    def _copied(self, attrs: ResizeAttrs, piece: Piece, x: np.ndarray) -> np.ndarray:
        """A nearest magnification's outputs of ``piece``: some may show what lies beside copies."""
        spans, begins = (piece.rows, piece.columns), self._layout.start(piece)
        rows, columns = (
            nearest(extent, factor, np.arange(hi - lo) + begin + start)
            for extent, factor, start, (lo, hi), begin in zip(
                x.shape[1:3], attrs.factors, attrs.start, spans, begins, strict=True
            )
        )
        return x.take(rows, axis=1).take(columns, axis=2)

    def _fitted(self, node: Node, piece: Piece) -> Node:
        """The node with the pads of this call."""
        attrs: Any = node.attrs
        if isinstance(attrs, SliceAttrs):
            channels = attrs.begin[3], attrs.end[3]
            tall, wide = (span[1] - span[0] for span in (piece.rows, piece.columns))
            begin, end = (0, 0, 0, channels[0]), (1, tall, wide, channels[1])
            return replace(node, attrs=replace(attrs, begin=begin, end=end))
        if not isinstance(attrs, ConvAttrs | ConvTransposeAttrs | PoolAttrs | PadAttrs):
            return node
        down, across = self._layout.pads(piece)
        if isinstance(attrs, PadAttrs):
            return replace(node, attrs=_padding(attrs, down, across))
        pads = Pads(down.before, across.before, down.after, across.after)
        attrs = replace(attrs, window=replace(attrs.window, pads=pads))
        if isinstance(attrs, ConvTransposeAttrs):
            size = piece.rows[1] - piece.rows[0], piece.columns[1] - piece.columns[0]
            attrs = replace(attrs, output=size)
        return replace(node, attrs=attrs)

    def _cut(self, node: Node, piece: Piece, result: np.ndarray) -> np.ndarray:
        """The box of ``piece`` of what a magnification or a Pad makes of the boxes it reads."""
        top = left = 0
        if isinstance(node.attrs, PadAttrs):
            top, left = (max(0, -ends.before) for ends in self._layout.pads(piece))
        elif isinstance(node.attrs, ResizeAttrs) or node.op == "DepthToSpace":
            top, left = self._layout.start(piece)
        tall, wide = (span[1] - span[0] for span in (piece.rows, piece.columns))
        return result[:, top : top + tall, left : left + wide]

    def _read(self, box: Operand, piece: Piece) -> np.ndarray:
        return self._window(box.value, box, piece)[None].copy()

    def _write(self, piece: Piece, result: np.ndarray) -> None:
        box = Operand(piece.value, piece.rows, piece.columns)
        rows, columns, channels, array = self._place(piece.value, box, piece)
        array[rows[:, None], columns, channels] = result

    def _window(self, value: str, box: Operand, piece: Piece) -> np.ndarray:
        rows, columns, channels, array = self._place(value, box, piece)
        return array[rows[:, None], columns, channels]

    def _place(
        self, value: str, box: Operand, piece: Piece
    ) -> tuple[np.ndarray, np.ndarray, slice, np.ndarray]:
        """Indices of the box in the array that holds it."""
        layout, slot = self._layout, self._layout.slots.get(value)
        owner = slot.owner if slot else value
        first = slot.channel if slot else 0
        count = self._device.graph.values[value].shape[3]
        top, left = layout.origin(value, piece)
        rows, columns = np.arange(*box.rows) - top, np.arange(*box.columns) - left
        stored = layout.stored.get(owner)
        if stored is None:
            array = self._device.whole(owner)
        else:
            array = self._device.piece(owner, (stored.rows, stored.columns, stored.channels))
            rows = rows % stored.rows if layout.line_buffered else rows
        if min(rows.min(), columns.min()) < 0:
            raise IndexError(f"{value}: read before its buffer")
        return rows, columns, slice(first, first + count), array


def _padding(attrs: PadAttrs, down: Ends, across: Ends) -> PadAttrs:
    """Of one call: pieces that lie wholly in the border have more of it than they show."""
    before = (0, max(0, down.before), max(0, across.before), attrs.before[3])
    after = (0, max(0, down.after), max(0, across.after), attrs.after[3])
    return replace(attrs, before=before, after=after)

"""Run a graph on numpy as a device would: regions piece by piece, in buffers of limited size.

Every buffer is an array of bytes that begins poisoned, at the first step of its lifetime, and ends
poisoned; rings wrap; overlapping tensors share bytes, and what only one of them needs is poisoned
before its birth and after its death. A plan that keeps too little gives other integers than the
plain graph. Each step reads all its inputs before it writes: what a kernel may overwrite meanwhile
is kernelset.lead's to say.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from deployer.analysis.channels import ChannelLayout
from deployer.analysis.liveness import ground_of, lifetimes, places, step_nodes
from deployer.analysis.places import Place
from deployer.analysis.regions import Ends, Operand, Piece, RegionLayout, layout_of
from deployer.ir.attrs import (
    ConcatAttrs,
    ConvAttrs,
    ConvTransposeAttrs,
    PadAttrs,
    Pads,
    PoolAttrs,
    ResizeAttrs,
    SliceAttrs,
)
from deployer.ir.graph import Graph, Node
from deployer.ir.ops import OPS
from deployer.ir.share import viewed
from deployer.numerics.interpret import evaluate
from deployer.numerics.tiled_channels import InGroups

_POISON = 0xA5


def run_tiled(graph: Graph, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Outputs of one sample (batch 1) of the graph's type."""
    return Device(graph).run(inputs)


class Device:
    """The memory of one inference, and what happens to it step by step."""

    def __init__(self, graph: Graph):
        self._graph = graph
        self._steps = {node.name: i for i, node in enumerate(step_nodes(graph))}
        self._buffers = lifetimes(graph)
        self._bytes = {b.id: np.full(b.size, _POISON, np.uint8) for b in self._buffers}
        self._places: Mapping[str, Place] = places(graph)
        self._ground = ground_of(graph)

    def run(self, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        graph = self._graph
        for name in graph.inputs:
            if name not in graph.by_rows:
                self.whole(name)[...] = inputs[name][0]
        layouts = {r.nodes[-1]: layout_of(graph, r) for r in graph.regions}
        inside = {name for region in graph.regions for name in region.nodes}
        for node in graph.nodes:
            layout = layouts.get(node.name)
            if isinstance(layout, ChannelLayout):
                InGroups(self, layout).run()
            elif layout is not None:
                _Regional(self, layout, inputs).run()
            elif node.name not in inside and not OPS[node.op].alias:
                self._plain(node, inputs)
        return {name: self._output(name, inputs) for name in graph.outputs}

    def whole(self, name: str) -> np.ndarray:
        """The bytes of a whole value as its array, without the batch axis."""
        value, place = self._graph.values[name], self._places[name]
        kind, shape = value.dtype.numpy, value.shape[1:]
        if place.pitches is None:
            raw = self._bytes[place.buffer][place.offset : place.offset + value.bytes]
            return raw.view(kind).reshape(shape)
        strides = (*place.pitches, 1)[3 - len(shape) :]
        return np.ndarray(
            shape,
            kind,
            self._bytes[place.buffer].data,
            place.offset,
            tuple(pitch * value.dtype.bytes for pitch in strides),
        )

    def piece(self, owner: str, shape: tuple[int, int, int]) -> np.ndarray:
        """The buffer of an interior value, seen as ``shape``."""
        return self.numbers(owner, self._graph.values[owner].dtype.numpy, shape)

    def numbers(self, buffer: str, dtype: np.dtype, shape: tuple[int, int, int]) -> np.ndarray:
        """The start of a buffer as an array."""
        raw = self._bytes[buffer][: int(np.prod(shape)) * dtype.itemsize]
        return raw.view(dtype).reshape(shape)

    def turn(self, step: int, inside: set[str] | None = None) -> None:
        """Poison what begins at ``step`` and what ended before it; only ``inside`` if given."""
        for buffer in self._buffers:
            changes = (step == buffer.lower and step > 0) or step == buffer.upper
            if changes and (inside is None or buffer.id in inside):
                self._bytes[buffer.id][...] = _POISON
        if self._graph.shares and inside is None:
            self._turn_shared(step)

    def _turn_shared(self, step: int) -> None:
        """Poison what is born now, and what died, but for the bytes that live values need."""
        spans = self._ground.live
        changing, needed = dict[str, str](), dict[str, str]()
        for name in self._ground.tensors:
            place, span = self._places[name], spans[self._ground.owner[name]]
            born, dead = step == span.lower and step > 0, step >= span.upper
            (changing if born or dead else needed)[name] = place.buffer
        for buffer in set(changing.values()):
            keep = [(n, self.whole(n).copy()) for n, b in needed.items() if b == buffer]
            keep = [(n, array) for n, array in keep if spans[self._ground.owner[n]].lower < step]
            for name, where in changing.items():
                if where == buffer:
                    self.whole(name).view(np.uint8)[...] = _POISON
            for name, array in keep:
                self.whole(name)[...] = array

    def buffers_but(self, tiles: set[str]) -> set[str]:
        return {b.id for b in self._buffers if b.id not in tiles}

    def step(self, node: Node) -> int:
        return self._steps[node.name]

    def constant(self, name: str) -> np.ndarray | None:
        return self._graph.constants.get(name)

    @property
    def graph(self) -> Graph:
        return self._graph

    def _plain(self, node: Node, inputs: Mapping[str, np.ndarray]) -> None:
        self.turn(self.step(node))
        arrived = {name: inputs[name][:1] for name in self._graph.arriving}
        args = [arrived[n] if n in arrived else self._operand(n) for n in node.inputs]
        result = evaluate(self._graph, node, args)[0]
        output, before = self.whole(node.output), self.whole(node.output).copy()
        output[...] = result
        if there := viewed(self._graph, node):
            self._leave(node, there, before)

    def _leave(self, node: Node, there: Container[str], before: np.ndarray) -> None:
        """Undo what a Concat or Slice would have copied, had it not been there already."""
        output = self.whole(node.output)
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
        constant = self.constant(name)
        return self.whole(name)[None].copy() if constant is None else constant

    def _output(self, name: str, inputs: Mapping[str, np.ndarray]) -> np.ndarray:
        constant = self.constant(name)
        return self.whole(name)[None].copy() if constant is None else constant


class _Regional:
    """One region on the device."""

    def __init__(self, device: Device, layout: RegionLayout, inputs: Mapping[str, np.ndarray]):
        self._device, self._layout, self._inputs = device, layout, inputs
        self._nodes = {node.output: node for node in layout.scope.nodes}

    def run(self) -> None:
        device, layout = self._device, self._layout
        tiles = set(layout.stored)
        for i, node in enumerate(layout.scope.nodes):
            device.turn(device.step(node), None if i == 0 else device.buffers_but(tiles))
        for piece in layout.pieces():
            if not layout.streams:
                device.turn(device.step(self._nodes[piece.value]), tiles)
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
            result = evaluate(self._device.graph, self._fitted(node, piece), args)
            result = self._cut(node, piece, result)
        self._write(piece, result[0])

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
            rows = rows % stored.rows if layout.streams else rows
        if min(rows.min(), columns.min()) < 0:
            raise IndexError(f"{value}: read before its buffer")
        return rows, columns, slice(first, first + count), array


def _padding(attrs: PadAttrs, down: Ends, across: Ends) -> PadAttrs:
    """Of one call: pieces that lie wholly in the border have more of it than they show."""
    before = (0, max(0, down.before), max(0, across.before), attrs.before[3])
    after = (0, max(0, down.after), max(0, across.after), attrs.after[3])
    return replace(attrs, before=before, after=after)

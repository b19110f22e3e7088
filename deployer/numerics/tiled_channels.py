"""A region in groups of channels, run as a device would: tiles of a group, int32 sums."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from deployer.analysis import ChannelLayout, Piece, Span, sums_id
from deployer.ir import OPS, Entries, Graph, Node, hwc
from deployer.numerics.device import Device
from deployer.numerics.integer import conv_sums, finish, input_zero
from deployer.numerics.interpret import evaluate
from deployer.numerics.requant import INT32_MAX


class InGroups:
    """One region on the device."""

    def __init__(self, device: Device, layout: ChannelLayout):
        self._device, self._layout = device, layout
        self._nodes = {node.output: node for node in layout.steps}

    def run(self) -> None:
        device, layout = self._device, self._layout
        last, tiles = layout.steps[-1], set(layout.stored)
        for i, node in enumerate(layout.steps[:-1] if layout.summed else layout.steps):
            device.poison(device.step(node), None if i == 0 else device.buffers_but(tiles))
        for piece in layout.pieces():
            node = self._nodes[piece.value]
            if node.output == layout.summed:
                self._add(node, piece.row)
                continue
            device.poison(device.step(node), tiles)
            self._compute(node, piece)
        if layout.summed:
            device.poison(device.step(last))
            sums = self._sums(last)[None].copy()
            self._whole(last.output)[...] = finish(device.graph, last, sums)[0]

    def _compute(self, node: Node, piece: Piece) -> None:
        graph = of_channels(self._device.graph, node, self._layout.span(node.output, piece.row))
        tensors = iter(self._operands(node, piece))
        activations = graph.activations(node)
        args = [next(tensors) if n in activations else graph.constants[n] for n in node.inputs]
        self._part(node.output, piece.row)[...] = evaluate(graph, node, args)[0]

    def _operands(self, node: Node, piece: Piece) -> list[np.ndarray]:
        """In the shape the node reads them in."""
        found = []
        operands = self._layout.operands(piece)
        for name, box in zip(self._device.graph.activations(node), operands, strict=True):
            grouped = self._layout.in_groups(node, box.value)
            part = self._part(box.value, piece.row) if grouped else self._whole(box.value)
            rank = len(self._device.graph.values[name].shape)
            found.append((part if rank == 4 else part.reshape(-1))[None].copy())
        return found

    def _add(self, node: Node, group: int) -> None:
        """The group's products, and in the first group the bias."""
        layout = self._layout
        x = self._part(layout.sum_source, group)[None].copy()
        weights = layout.sum_weights[..., slice(*layout.span(layout.sum_source, group))]
        zero = input_zero(self._device.graph, node)
        made = conv_sums(x, weights, layout.sum_window, zero=zero)[0].astype(np.int64)
        sums = self._sums(node)
        made += self._device.graph.constants[node.inputs[2]] if group == 0 else sums
        if np.abs(made).max() > INT32_MAX:
            raise OverflowError(f"{node.name}: a sum over some channels leaves int32")
        sums[...] = made

    def _sums(self, node: Node) -> np.ndarray:
        shape = hwc(self._device.graph.values[node.output].shape)
        return self._device.numbers(sums_id(node.output), np.dtype(np.int32), shape)

    def _part(self, value: str, group: int) -> np.ndarray:
        """The group's channels of a value, where they lie."""
        first, last = self._layout.span(value, group)
        slot = self._layout.slots.get(value)
        owner = slot.owner if slot else value
        if owner not in self._layout.stored:
            return self._whole(owner)[..., first:last]
        height, width, _ = hwc(self._device.graph.values[owner].shape)
        return self._device.piece(owner, (height, width, last - first))

    def _whole(self, value: str) -> np.ndarray:
        whole = self._device.whole(value)
        return whole.reshape((1, 1, *whole.shape)[-3:])


def of_channels(graph: Graph, node: Node, span: Span) -> Graph:
    """``graph`` with the constants that ``node`` needs for some channels of its output."""
    first, last = span
    changed: dict[str, np.ndarray] = {}
    spec = OPS[node.op]
    if spec.partial_sums:
        changed = {name: graph.constants[name][first:last] for name in node.inputs[1:]}
    elif spec.linear:
        changed = {name: graph.constants[name][..., first:last] for name in node.inputs[1:]}
    slopes = spec.entries is Entries.SLOPES
    if node.requant and (changed or slopes):
        tables = (node.rq.multiplier, node.rq.rounding, node.rq.shift)
        entries = np.arange(first, last)
        if slopes:
            entries = np.append(0, entries + 1)
        for name in tables:
            table = graph.constants[name]
            changed[name] = table[entries] if len(table) > 1 else table
    return replace(graph, constants={**graph.constants, **changed})

"""Geometry of a region in groups of channels: which channels of each value every call computes.

Rows and columns of every piece are whole; the index of its row is that of its group.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from deployer.analysis.regions import Operand, Piece, RegionLayout, Span, Stored
from deployer.analysis.storage import Slot, slots_of
from deployer.ir import (
    ALIAS,
    MAKE,
    SUM,
    Node,
    Window,
    channels_of,
    grouped,
    hwc,
    role,
    root_of,
    unit,
)


@dataclass(frozen=True, eq=False)
class ChannelLayout(RegionLayout):
    """Every value in groups has, in group g, the part of its channels that split points g and
    g + 1 are of ``unit``: ``span``. A SUM's int32 sums are kept from the first group to the end of
    the region; behind the last group they become its output, when tiles and inputs are free."""

    @cached_property
    def roles(self) -> Mapping[str, str]:
        """Per node's name, one of ir.channels. Raises ValueError for a node that has none."""
        found = {node.name: role(self.scope, node) for node in self.scope.nodes}
        if None in found.values():
            raise ValueError(f"{found} cannot be computed by channels")
        return {name: does for name, does in found.items() if does}

    @cached_property
    def steps(self) -> tuple[Node, ...]:
        """The nodes that run code."""
        return tuple(node for node in self.scope.nodes if self.roles[node.name] != ALIAS)

    @property
    def summed(self) -> str:
        last = self.scope.nodes[-1]
        return last.output if self.roles[last.name] == SUM else ""

    @cached_property
    def groups(self) -> int:
        return len(self.region.channels) - 1

    @cached_property
    def unit(self) -> int:
        return unit(self.scope)

    @cached_property
    def grouped(self) -> frozenset[str]:
        """Values that are written or read a group at a time."""
        return frozenset(grouped(self.scope))

    def in_groups(self, node: Node, value: str) -> bool:
        """Whether ``node`` writes or reads ``value`` a group at a time."""
        return value in self.grouped and (value == node.output or self.roles[node.name] != MAKE)

    def span(self, value: str, group: int) -> Span:
        """Channels in a group of a value in groups."""
        channels = channels_of(self.scope.graph, value)
        first, last = (point * channels // self.unit for point in self._points(group))
        return first, last

    def _points(self, group: int) -> Span:
        return self.region.channels[group], self.region.channels[group + 1]

    def root(self, value: str) -> str:
        return root_of(self.scope, value)

    @property
    def sum_source(self) -> str:
        """What is summed over: of a dense layer, the value that its input was before a reshape."""
        return self.root(self.scope.nodes[-1].inputs[0])

    @property
    def sum_window(self) -> Window:
        """A dense layer's covers all of ``sum_source``."""
        last = self.scope.nodes[-1]
        return last.attrs.window if last.op == "Conv2d" else Window(self._hwc(self.sum_source)[:2])

    @property
    def sum_weights(self) -> np.ndarray:
        """OHWI, I the channels of ``sum_source``."""
        weights = self.scope.graph.constants[self.scope.nodes[-1].inputs[1]]
        channels = channels_of(self.scope.graph, self.sum_source)
        return weights.reshape(len(weights), *self.sum_window.kernel, channels)

    @cached_property
    def slots(self) -> Mapping[str, Slot]:
        own = slots_of(self.scope)
        return {name: own.get(self.root(name), slot) for name, slot in own.items()}

    def most_channels(self, value: str) -> int:
        """Of the widest group; all of what is summed up."""
        channels = channels_of(self.scope.graph, value)
        widest = max(b - a for a, b in pairwise(self.region.channels))
        return widest * channels // self.unit if value in self.grouped else channels

    @cached_property
    def stored(self) -> Mapping[str, Stored]:
        found = {}
        for name in dict.fromkeys(slot.owner for slot in self.slots.values()):
            if name in self.scope.outputs:
                continue
            value = self.scope.graph.values[name]
            height, width, _ = hwc(value.shape)
            count = self.most_channels(name)
            size = height * width * count * value.dtype.bytes
            found[name] = Stored(height, width, count, size)
        return found

    def pieces(self) -> Iterator[Piece]:
        for group in range(self.groups):
            for node in self.steps:
                height, width, _ = self._hwc(node.output)
                yield Piece(node.output, (0, height), (0, width), group, 0)

    def operands(self, piece: Piece) -> tuple[Operand, ...]:
        """Whole rows and columns; of a flattened value, those of the value it was."""
        node = self.scope.nodes[self.scope.writer[piece.value]]
        found = []
        for name in self.scope.graph.activations(node):
            height, width, _ = self._hwc(self.root(name))
            found.append(Operand(self.root(name), (0, height), (0, width)))
        return tuple(found)

    def _hwc(self, value: str) -> tuple[int, int, int]:
        return hwc(self.scope.graph.values[value].shape)

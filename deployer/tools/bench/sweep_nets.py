"""Drawn layers one after the other in one network.

Each layer reads what was just written, as in a network, and hands one element on to what the next
one reads. So there is one order, no two layers are live at once, and the image's memory is that of
the largest.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from deployer.analysis import Launch, launches
from deployer.ir import (
    OPS,
    ConcatAttrs,
    Graph,
    Layout,
    PointAttrs,
    ReshapeAttrs,
    Schedule,
    SliceAttrs,
)
from deployer.tools.bench.operator_net import RELU, OperatorNet
from deployer.tools.bench.sweep_layers import FLOAT_BITS, Part, Shape, SweepLayer

_SOURCE = 4096  # elements of the network's input, which inputs of layers are made of
Thing = TypeVar("Thing")
_APART = 64  # elements between the beginnings of a layer's two inputs


@dataclass(frozen=True, eq=False)
class SweepNet:
    """``between``: nodes that are no layer's, since they make inputs of what was handed on;
    ``ends``: the one behind each layer that hands an element on; ``parts``: of which part of its
    layer a node is."""

    graph: Graph
    between: frozenset[str]
    ends: tuple[str, ...]
    parts: Mapping[str, int]

    def launches_of(self, schedule: Schedule) -> list[tuple[Launch, ...]]:
        """What the device runs for each layer, nodes that the planner added among it."""
        every = launches(schedule)
        return self._by_layer(every, [launch.steps[0].node for launch in every])

    def nodes_of(self, graph: Graph) -> list[tuple[str, ...]]:
        """Of each layer the nodes of ``graph`` that run code."""
        names = [node.name for node in graph.nodes if not OPS[node.op].alias]
        return self._by_layer(names, names)

    def parts_of(self, names: Sequence[str]) -> list[int]:
        """Of nodes of a layer: one that the planner added is of the part before which it stands."""
        found: list[int] = []
        part = max((self.parts[name] for name in names if name in self.parts), default=0)
        for name in reversed(names):
            part = self.parts.get(name, part)
            found.append(part)
        return found[::-1]

    def _by_layer(self, things: Sequence[Thing], names: Sequence[str]) -> list[tuple[Thing, ...]]:
        """``names``: of the node of each thing, in the order of the device."""
        found: list[list[Thing]] = [[] for _ in self.ends]
        passed = 0
        for thing, name in zip(things, names, strict=True):
            if name in self.ends:
                passed += 1
            elif name not in self.between:
                found[passed].append(thing)
        return list(map(tuple, found))


def sweep_net(name: str, layers: Sequence[SweepLayer]) -> SweepNet:
    """The float network of ``layers``, with seeded weights."""
    chain = _Chain(OperatorNet(name))
    for layer in layers:
        chain.add(layer)
    between, ends = frozenset(chain.between), tuple(chain.ends)
    return SweepNet(chain.net.graph(), between, ends, chain.parts)


class _Chain:
    def __init__(self, net: OperatorNet):
        self.net = net
        self.between: set[str] = set()
        self.ends: list[str] = []
        self.parts: dict[str, int] = {}
        self.source = net.input(_SOURCE)
        self.link = self._slice(self.source, 0, 1)

    def add(self, layer: SweepLayer) -> None:
        read = tuple(self._inputs(layer.inputs))
        number = 0  # of those that run code
        for part in layer.parts:
            read = (self._part(part, read),)
            self.parts[self.net.nodes[-1].name] = number
            number += not OPS[part.op].alias
        if layer.bits == FLOAT_BITS:  # which has no CRCs of layers: outputs alone are compared
            self.net.told.append(read[0])
        self.link = self._element(read[0])
        self.ends.append(self.net.nodes[-1].name)
        self.link = self._shaped(self.link, (1, 1))

    def _inputs(self, shapes: Sequence[Shape]) -> Iterator[str]:
        """Elements handed on first, then the source again and again. The second input is another
        part of it behind a ReLU, so that its scale differs. One input alone is made in its place:
        a copy would take as much memory again."""
        needed = _APART * (len(shapes) - 1) + max(map(math.prod, shapes))
        whole = self._repeated(needed)
        for index, shape in enumerate(shapes):
            x = whole
            if len(shapes) > 1:
                x = self._slice(whole, _APART * index, math.prod(shape))
            if index:
                x = self._between("Rescale", x, attrs=PointAttrs(RELU))
            yield self._shaped(x, shape)

    def _repeated(self, count: int) -> str:
        """The element handed on and ``count`` - 1 more of the source's, which is read often rather
        than copied. What is left of it waits for that element, so that there is one order."""
        times, rest = divmod(count - 1, _SOURCE)
        begin = self._between("Concat", self.link, self.source, attrs=ConcatAttrs(1))
        begin = self._slice(begin, 0, 1 + rest)
        if not times:
            return begin
        return self._between("Concat", begin, *[self.source] * times, attrs=ConcatAttrs(1))

    def _part(self, part: Part, read: tuple[str, ...]) -> str:
        return self.net.node(part.op, *read, *self._constants(part), attrs=part.attrs)

    def _constants(self, part: Part) -> tuple[str, ...]:
        if not part.weights:
            return ()
        if part.layout == Layout.VECTOR:
            return (self.net.slopes(part.weights[0]),)
        axis = OPS[part.op].channel_axis or 0
        channels = part.weights[axis]
        fan = math.prod(part.weights) // channels
        return self.net.weights(part.weights, part.layout, fan=fan), self.net.bias(channels)

    def _element(self, x: str) -> str:
        rank = len(self.net.values[x].shape)
        return self._between("Slice", x, attrs=SliceAttrs((0,) * rank, (1,) * rank))

    def _slice(self, x: str, begin: int, count: int) -> str:
        return self._between("Slice", x, attrs=SliceAttrs((0, begin), (1, begin + count)))

    def _shaped(self, x: str, shape: Shape) -> str:
        if self.net.values[x].shape == shape:
            return x
        return self._between("Reshape", x, attrs=ReshapeAttrs(shape))

    def _between(self, op: str, *inputs: str, attrs: object) -> str:
        output = self.net.node(op, *inputs, attrs=attrs)
        self.between.add(self.net.nodes[-1].name)
        return output

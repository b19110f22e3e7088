"""What a region of a graph is made of: nodes, and values that enter, leave or stay inside."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from deployer.ir.attrs import ConcatAttrs, ConvAttrs, PoolAttrs, Window
from deployer.ir.graph import Graph, Node
from deployer.ir.ops import OPS
from deployer.ir.region import Region


@dataclass(frozen=True, eq=False)
class Scope:
    """The nodes and values of a region of a graph.

    ``inputs`` are written before the region, ``outputs`` inside it and read behind it (or outputs
    of the graph); both are whole tensors. ``interior`` values exist in pieces only.
    """

    graph: Graph
    region: Region
    nodes: tuple[Node, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    interior: tuple[str, ...]

    @cached_property
    def writer(self) -> dict[str, int]:
        """Position in ``nodes`` of each value's node."""
        return {node.output: i for i, node in enumerate(self.nodes)}

    @cached_property
    def readers(self) -> dict[str, tuple[int, ...]]:
        """Positions in ``nodes`` of those that read a value, once each."""
        found: dict[str, list[int]] = {}
        for i, node in enumerate(self.nodes):
            for name in dict.fromkeys(self.graph.activations(node)):
                found.setdefault(name, []).append(i)
        return {name: tuple(at) for name, at in found.items()}

    def extent(self, value: str, axis: int) -> int:
        """Height (axis 0) or width (axis 1)."""
        return self.graph.values[value].shape[1 + axis]


def scope_of(graph: Graph, region: Region) -> Scope:
    """Raises KeyError for a node the graph does not have."""
    by_name = {node.name: node for node in graph.nodes}
    nodes = tuple(by_name[name] for name in region.nodes)
    inside, made = set(region.nodes), {node.output for node in nodes}
    read = dict.fromkeys(name for node in nodes for name in graph.activations(node))

    def leaves(value: str) -> bool:
        readers = graph.consumers.get(value, ())
        return value in graph.outputs or any(node.name not in inside for node in readers)

    outputs = tuple(node.output for node in nodes if leaves(node.output))
    interior = tuple(node.output for node in nodes if not leaves(node.output))
    return Scope(graph, region, nodes, tuple(n for n in read if n not in made), outputs, interior)


def is_spatial(graph: Graph, node: Node) -> bool:
    """Whether a piece of the output, which somebody wants, needs only a piece of each input."""
    names = (*graph.activations(node), *node.outputs)
    if not OPS[node.op].spatial or len(node.outputs) != 1:
        return False
    if any(len(graph.values[n].shape) != 4 for n in names):
        return False
    if node.output not in graph.consumers and node.output not in graph.outputs:
        return False
    if isinstance(node.attrs, ConcatAttrs):
        return node.attrs.axis == 3
    if isinstance(node.attrs, ConvAttrs | PoolAttrs):
        return _meets(node.attrs.window)
    return True


def _meets(window: Window) -> bool:
    """Whether every window meets the input: a piece of nothing but padding has no kernel."""
    (tall, wide), pads = _spans(window), window.pads
    return max(pads.top, pads.bottom) < tall and max(pads.left, pads.right) < wide


def _spans(window: Window) -> tuple[int, int]:
    tall, wide = ((k - 1) * d + 1 for k, d in zip(window.kernel, window.dilation, strict=True))
    return tall, wide

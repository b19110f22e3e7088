"""Move a fused activation from a MaxPool to the layer before it.

A maximum commutes with a clamp. Done first, the layer's range is the one that survives, so its
int8 scale is not spent on values the activation removes: convolution, pool, ReLU is a usual order.
"""

from __future__ import annotations

import math
from dataclasses import replace

from deployer.ir.attrs import Clamp
from deployer.ir.graph import Graph, Node

_TARGETS = {
    "Conv2d",
    "DepthwiseConv2d",
    "FullyConnected",
    "ConvTranspose2d",
    "Add",
    "Sub",
    "Mul",
    "PRelu",
    "AveragePool",
    "Rescale",
}


def hoist_clamps(graph: Graph) -> Graph:
    """The same function with the same names; only ``clamp`` attributes differ."""
    pools = [node for node in graph.nodes if _movable(graph, node)]
    moved = {graph.producer[node.inputs[0]].name: node.attrs.clamp for node in pools}
    emptied = {node.name for node in pools}
    nodes = tuple(_rewritten(node, moved, emptied) for node in graph.nodes)
    return replace(graph, nodes=nodes)


def _movable(graph: Graph, node: Node) -> bool:
    source = node.inputs[0] if node.inputs else ""
    return (
        node.op == "MaxPool"
        and node.attrs.clamp.active
        and source in graph.producer
        and graph.producer[source].op in _TARGETS
        and len(graph.consumers[source]) == 1
        and source not in graph.outputs
    )


def _rewritten(node: Node, moved: dict[str, Clamp], emptied: set[str]) -> Node:
    if node.name in emptied:
        return replace(node, attrs=replace(node.attrs, clamp=Clamp()))
    if node.name in moved:
        clamp = compose(node.attrs.clamp, moved[node.name])
        return replace(node, attrs=replace(node.attrs, clamp=clamp))
    return node


def compose(first: Clamp, second: Clamp) -> Clamp:
    """The one clamp that does ``first``, then ``second``."""
    bounds = (_low(first), _high(first))
    low, high = (min(max(bound, _low(second)), _high(second)) for bound in bounds)
    return Clamp(low if math.isfinite(low) else None, high if math.isfinite(high) else None)


def _low(clamp: Clamp) -> float:
    return -math.inf if clamp.low is None else clamp.low


def _high(clamp: Clamp) -> float:
    return math.inf if clamp.high is None else clamp.high

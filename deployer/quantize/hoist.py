"""Move a fused activation from a MaxPool to the layer before it.

A maximum commutes with a clamp. Done first, the layer's range is the one that survives, so its
int8 scale is not spent on values the activation removes: convolution, pool, ReLU is a usual order.
"""

from __future__ import annotations

import math
from dataclasses import replace

from deployer.ir import OPS, Clamp, Graph, Node


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
        OPS[node.op].keeps_quantization
        and OPS[node.op].clamps
        and node.attrs.clamp.active
        and source in graph.producer
        and _takes_clamp(graph.producer[source])
        and len(graph.consumers[source]) == 1
        and source not in graph.outputs
    )


def _takes_clamp(node: Node) -> bool:
    """Whether a clamp makes the node's own range smaller."""
    return OPS[node.op].clamps and OPS[node.op].own_range


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

"""Activations fused into the layer before them."""

from __future__ import annotations

from dataclasses import replace

from deployer.frontend.passes.aliases import ALIASES
from deployer.frontend.passes.edit import Edit, apply, drop, fresh, only_reader, origins
from deployer.ir.attrs import Clamp
from deployer.ir.graph import Graph, Node

_FUSING = {
    *("Conv2d", "DepthwiseConv2d", "FullyConnected"),
    *("Add", "AveragePool", "MaxPool", "Rescale"),
}


def fuse_clamp(graph: Graph, node: Node) -> Graph | None:
    """A Rescale becomes the clamp of the layer that it alone reads."""
    if node.op != "Rescale":
        return None
    if not node.attrs.clamp.active:
        return drop(graph, node)
    before = graph.producer.get(node.inputs[0])
    if before is None or before.op not in _FUSING or not only_reader(graph, node.inputs[0]):
        return None
    attrs = replace(before.attrs, clamp=after(before.attrs.clamp, node.attrs.clamp))
    fused = replace(before, attrs=attrs, outputs=node.outputs, origin=origins(before, node))
    return apply(graph, Edit({before.name: (fused,), node.name: ()}))


def after(first: Clamp, second: Clamp) -> Clamp:
    """The clamp that equals ``first`` followed by ``second``."""
    return Clamp(_limit(first.low, second, second.low), _limit(first.high, second, second.high))


def _limit(bound: float | None, second: Clamp, default: float | None) -> float | None:
    """Where ``second`` sends a bound of the first clamp."""
    if bound is None:
        return default
    if second.low is not None:
        bound = max(bound, second.low)
    return bound if second.high is None else min(bound, second.high)


def hoist_clamp(graph: Graph, node: Node) -> Graph | None:
    """A Rescale behind a Reshape or Transpose goes before it, nearer to a layer to fuse with."""
    before = graph.producer.get(node.inputs[0])
    if node.op != "Rescale" or before is None or before.op not in ALIASES:
        return None
    if not only_reader(graph, node.inputs[0]):
        return None
    source = graph.values[before.inputs[0]]
    name = fresh(graph, f"{node.name}/clamped")
    clamp = replace(node, inputs=before.inputs, outputs=(name,))
    alias = replace(before, inputs=(name,), outputs=node.outputs)
    edit = Edit({before.name: (clamp, alias), node.name: ()}, {name: replace(source, name=name)})
    return apply(graph, edit)

"""Activations fused into the layer before them."""

from __future__ import annotations

from dataclasses import replace

from deployer.frontend.limits import MAX_AXES
from deployer.frontend.passes.affine import join
from deployer.frontend.passes.aliases import ALIASES
from deployer.frontend.passes.draft import Draft
from deployer.frontend.passes.edit import Edit, drop, fresh, only_reader, origins, states
from deployer.ir import OPS, Node


def fuse_clamp(graph: Draft, node: Node) -> Edit | None:
    """A Rescale becomes the clamp of the layer that it alone reads."""
    if node.op != "Rescale" or states(graph, node.output):
        return None
    if not node.attrs.clamp.active:
        return drop(graph, node)
    before = graph.producer.get(node.first)
    if before is None or not OPS[before.op].clamps or not only_reader(graph, node.first):
        return None
    attrs = replace(before.attrs, clamp=join(before.attrs.clamp, node.attrs.clamp))
    fused = replace(before, attrs=attrs, outputs=node.outputs, origin=origins(before, node))
    edit = Edit({before.name: (fused,), node.name: ()})
    stated = graph.values[before.output].quant
    edit.values[node.output] = replace(graph.values[node.output], quant=stated)
    return edit


def hoist(graph: Draft, node: Node) -> Edit | None:
    """A function of single elements behind a Reshape or Transpose goes before it, nearer to a
    layer to fuse with."""
    before = graph.producer.get(node.first)
    alone = OPS[node.op].elementwise and len(node.inputs) == 1
    if not alone or before is None or before.op not in ALIASES:
        return None
    if not only_reader(graph, node.first):
        return None
    source = graph.values[before.first]
    if len(source.shape) > MAX_AXES:
        return None
    name = fresh(graph, f"{node.name}/moved")
    moved = replace(node, inputs=before.inputs, outputs=(name,))
    alias = replace(before, inputs=(name,), outputs=node.outputs)
    result = graph.values[node.output]
    values = {
        name: replace(source, name=name, quant=result.quant),
        node.output: replace(result, quant=None),
    }
    return Edit({before.name: (moved, alias), node.name: ()}, values)

"""The number that a product of two activations is multiplied by: part of it."""

from __future__ import annotations

from dataclasses import replace

from deployer.frontend.passes.affine import is_uniform, join, scale_and_offset
from deployer.frontend.passes.draft import Draft
from deployer.frontend.passes.edit import Edit, drop, only_reader, origins
from deployer.ir import Node


def fold_scale(graph: Draft, node: Node) -> Edit | None:
    """One positive scale for all channels, as attention has it, behind a MatMul."""
    before = graph.producer.get(node.first)
    if before is None or before.op != "MatMul" or not only_reader(graph, node.first):
        return None
    if not is_uniform(graph, node) or before.attrs.clamp.active:
        return None
    scale, offset = (float(numbers[0]) for numbers in scale_and_offset(graph, node))
    edit = drop(graph, node) if scale > 0 and offset == 0 else None
    if edit is None:
        return None
    (kept,) = edit.nodes.get(before.name, (before,))
    clamp = join(before.attrs.clamp, node.attrs.clamp)
    attrs = replace(before.attrs, scale=before.attrs.scale * scale, clamp=clamp)
    edit.nodes[before.name] = (replace(kept, attrs=attrs, origin=origins(before, node)),)
    return edit

"""Reshapes and transposes: merged, cancelled, or reduced to what still moves bytes."""

from __future__ import annotations

from dataclasses import replace

from deployer.frontend.passes.edit import Edit, apply, drop, fresh, origins
from deployer.ir.attrs import ReshapeAttrs, TransposeAttrs
from deployer.ir.graph import Graph, Node
from deployer.ir.types import DType, Layout, Value

ALIASES = ("Reshape", "Transpose")
MOST_AXES = 4  # of the Transpose kernel

Shape = tuple[int, ...]


def merge(graph: Graph, node: Node) -> Graph | None:
    """Reshape of a Reshape, or Transpose of a Transpose: one of them."""
    before = graph.producer.get(node.inputs[0])
    if node.op not in ALIASES or before is None or before.op != node.op:
        return None
    attrs = node.attrs
    if node.op == "Transpose":
        attrs = TransposeAttrs(tuple(before.attrs.perm[axis] for axis in node.attrs.perm))
    merged = replace(node, inputs=before.inputs, attrs=attrs, origin=origins(before, node))
    return apply(graph, Edit({node.name: (merged,)}))


def still(graph: Graph, node: Node) -> Graph | None:
    """A Transpose that moves only axes of size 1 moves no bytes: a Reshape."""
    if node.op != "Transpose":
        return None
    shape = graph.values[node.inputs[0]].shape
    moved = [axis for axis in node.attrs.perm if shape[axis] != 1]
    if moved != sorted(moved):
        return None
    alias = replace(node, op="Reshape", attrs=ReshapeAttrs(graph.values[node.output].shape))
    return apply(graph, Edit({node.name: (alias,)}))


def drop_same_shape(graph: Graph, node: Node) -> Graph | None:
    """A Reshape to the shape it already has."""
    if node.op != "Reshape" or graph.values[node.inputs[0]].shape != node.attrs.shape:
        return None
    return drop(graph, node)


def flatten_axes(graph: Graph, node: Node) -> Graph | None:
    """A Transpose of many axes as one of fewer: axes of size 1 left out, neighbours joined."""
    if node.op != "Transpose" or len(node.attrs.perm) <= MOST_AXES:
        return None
    shape, perm = _joined(graph.values[node.inputs[0]].shape, node.attrs.perm)
    if len(shape) > MOST_AXES:
        return None
    inner, outer = fresh(graph, f"{node.name}/in"), fresh(graph, f"{node.name}/out")
    permuted = tuple(shape[axis] for axis in perm)
    final = ReshapeAttrs(graph.values[node.output].shape)
    steps = (
        Node(inner, "Reshape", node.inputs, (inner,), ReshapeAttrs(shape), origin=node.origin),
        replace(node, inputs=(inner,), outputs=(outer,), attrs=TransposeAttrs(perm)),
        Node(outer, "Reshape", (outer,), node.outputs, final, origin=node.origin),
    )
    values = {name: _value(name, size) for name, size in ((inner, shape), (outer, permuted))}
    return apply(graph, Edit({node.name: steps}, values))


def _joined(shape: Shape, perm: Shape) -> tuple[Shape, Shape]:
    """The same permutation over the fewest axes, behind a batch axis of 1."""
    order = [axis for axis in range(len(shape)) if shape[axis] != 1]
    groups: list[list[int]] = []
    for axis in (order.index(axis) for axis in perm if shape[axis] != 1):
        if groups and groups[-1][-1] + 1 == axis:
            groups[-1].append(axis)
        else:
            groups.append([axis])
    ranked = sorted(groups)
    sizes = []
    for group in ranked:
        size = 1
        for axis in group:
            size *= shape[order[axis]]
        sizes.append(size)
    return (1, *sizes), (0, *(ranked.index(group) + 1 for group in groups))


def _value(name: str, shape: Shape) -> Value:
    return Value(name, shape, DType.F32, Layout.NHWC if len(shape) == 4 else Layout.NC)

"""Reshapes and transposes: merged, cancelled, or reduced to what still moves bytes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from deployer.frontend.passes.draft import Draft
from deployer.frontend.passes.edit import Edit, drop, origins, renamed, states
from deployer.ir import DType, Layout, Node, ReshapeAttrs, TransposeAttrs, Value

ALIASES = ("Reshape", "Transpose")

Shape = tuple[int, ...]


def merge(graph: Draft, node: Node) -> Edit | None:
    """Reshape of a Reshape, or Transpose of a Transpose: one of them."""
    before = graph.producer.get(node.first)
    if node.op not in ALIASES or before is None or before.op != node.op:
        return None
    attrs = node.attrs
    if node.op == "Transpose":
        attrs = TransposeAttrs(tuple(before.attrs.perm[axis] for axis in node.attrs.perm))
    merged = replace(node, inputs=before.inputs, attrs=attrs, origin=origins(before, node))
    return Edit({node.name: (merged,)})


def still(graph: Draft, node: Node) -> Edit | None:
    """A Transpose that moves only axes of size 1 moves no bytes: a Reshape."""
    if node.op != "Transpose":
        return None
    shape = graph.values[node.first].shape
    moved = [axis for axis in node.attrs.perm if shape[axis] != 1]
    if moved != sorted(moved):
        return None
    alias = replace(node, op="Reshape", attrs=ReshapeAttrs(graph.values[node.output].shape))
    return Edit({node.name: (alias,)})


def drop_same_shape(graph: Draft, node: Node) -> Edit | None:
    """A Reshape to the shape it already has."""
    if node.op != "Reshape" or graph.values[node.first].shape != node.attrs.shape:
        return None
    return drop(graph, node)


def drop_idle(graph: Draft, node: Node) -> Edit | None:
    """A Slice of everything, a Pad by nothing, a Resize by 1."""
    if node.op not in ("Pad", "Resize", "Slice"):
        return None
    same = graph.values[node.first].shape == graph.values[node.output].shape
    return drop(graph, node) if same else None


def share_twin(graph: Draft, node: Node) -> Edit | None:
    """A Transpose of bytes that another one has moved the same way: what reads it reads that."""
    if node.op != "Transpose" or node.output in graph.outputs or states(graph, node.output):
        return None
    chain = aliases_before(graph, node.first)
    begin = next((i for i in range(len(chain), 0, -1) if chain[i - 1].op != "Reshape"), 0)
    source = chain[begin].first if begin < len(chain) else node.first
    shape = graph.values[node.first].shape
    for other in _transposes_of(graph, source):
        same = other.attrs == node.attrs and graph.values[other.first].shape == shape
        if same and other.name != node.name and not states(graph, other.output):
            names = {node.output: other.output}
            readers = graph.readers(node.output)
            return Edit({reader.name: (renamed(reader, names),) for reader in readers})
    return None


def _transposes_of(graph: Draft, source: str) -> Iterator[Node]:
    """Those of a value, and of the same bytes in other shapes."""
    for reader in graph.readers(source):
        if reader.op == "Transpose":
            yield reader
        elif reader.op == "Reshape" and not states(graph, reader.output):
            yield from _transposes_of(graph, reader.output)


def aliases_before(graph: Draft, name: str) -> list[Node]:
    """The Reshapes and Transposes that lead to a value, first one first."""
    chain: list[Node] = []
    node = graph.producer.get(name)
    while node is not None and node.op in ALIASES:
        chain.append(node)
        node = graph.producer.get(node.first)
    return chain[::-1]


def alias_value(name: str, shape: Shape) -> Value:
    return Value(name, shape, DType.F32, Layout.NHWC if len(shape) == 4 else Layout.NC)

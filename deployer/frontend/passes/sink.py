"""Transposes moved behind the operators that work on single elements, until they meet others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from deployer.frontend.passes.affine import is_affine, scale_and_offset
from deployer.frontend.passes.aliases import MOST_AXES, alias_value
from deployer.frontend.passes.draft import Draft
from deployer.frontend.passes.edit import Edit, fresh
from deployer.ir.attrs import ConcatAttrs, ConvAttrs, PadAttrs, SliceAttrs
from deployer.ir.graph import Graph, Node
from deployer.ir.types import Value

Shape = tuple[int, ...]
_POINTWISE = ("Add", "Mul", "Rescale", "Sub", "Table")


def sink(graph: Draft, node: Node) -> Edit | None:
    """``op(T(x), T(y))`` as ``T(op(x, y))``."""
    sources = [name for name in node.inputs if name not in graph.constants]
    turns = [graph.producer.get(name) for name in sources]
    first = turns[0] if turns else None
    if first is None or any(t is None or t.op != "Transpose" for t in turns):
        return None
    perm: Shape = first.attrs.perm
    if len(perm) > MOST_AXES or any(turn is not None and turn.attrs.perm != perm for turn in turns):
        return None
    attrs = _attrs_before(graph, node, perm)
    if attrs is None:
        return None
    inputs = tuple(turn.inputs[0] for turn in turns if turn is not None)
    return _turned(graph, node, inputs, attrs, first)


def _turned(graph: Draft, node: Node, inputs: Sequence[str], attrs: Any, turn: Node) -> Edit:
    """``node`` on the values before the transposes, and one of those behind it."""
    perm = turn.attrs.perm
    name = fresh(graph, f"{node.name}/straight")
    shape = graph.values[node.output].shape
    straight = _before(shape, perm)
    edit = Edit(values={name: alias_value(name, straight)})
    constants = [item for item in node.inputs if item in graph.constants]
    if _resized(node, perm):
        _resize_constants(graph, edit, constants, straight[-1])
    moved = replace(node, inputs=(*inputs, *constants), outputs=(name,), attrs=attrs)
    after = fresh(graph, f"{node.name}/turned")
    back = replace(turn, name=after, inputs=(name,), outputs=node.outputs)
    edit.nodes[node.name] = (moved, back)
    return edit


def _attrs_before(graph: Draft, node: Node, perm: Shape) -> Any:
    """The attributes before a transpose; None when the operator depends on the axes."""
    if node.op == "Concat":
        return ConcatAttrs(perm[node.attrs.axis])
    if node.op == "Slice":
        return SliceAttrs(*(_before(side, perm) for side in (node.attrs.begin, node.attrs.end)))
    if node.op == "Pad":
        before, after = (_before(side, perm) for side in (node.attrs.before, node.attrs.after))
        return PadAttrs(before, after, node.attrs.value)
    if node.op in _POINTWISE:
        shapes = {graph.values[name].shape for name in node.inputs}
        return node.attrs if len(shapes) == 1 else None
    if not is_affine(graph, node) or len(perm) != 4:
        return None
    if not _resized(node, perm):
        return node.attrs
    scale, offset = scale_and_offset(graph, node)
    uniform = np.all(scale == scale[0]) and np.all(offset == offset[0])
    if not uniform:
        return None
    channels = _before(graph.values[node.output].shape, perm)[-1]
    return replace(node.attrs, groups=channels)


def _before(numbers: Shape, perm: Shape) -> Shape:
    """One number per axis behind a transpose, in the order of the axes before it."""
    return tuple(numbers[perm.index(axis)] for axis in range(len(perm)))


def _resized(node: Node, perm: Shape) -> bool:
    """Whether a scale and offset per channel get other channels."""
    return isinstance(node.attrs, ConvAttrs) and perm[-1] != len(perm) - 1


def _resize_constants(graph: Draft, edit: Edit, names: Sequence[str], channels: int) -> None:
    for name in names:
        array, value = graph.constants[name], graph.values[name]
        shape = (*array.shape[:-1], channels)
        edit.constants[name] = np.full(shape, array.flat[0], dtype=array.dtype)
        edit.values[name] = Value(name, shape, value.dtype, value.layout)


def moved(graph: Graph) -> int:
    """How many elements the transposes of a graph move."""
    turns = [node for node in graph.nodes if node.op == "Transpose"]
    return sum(graph.values[turn.output].elements for turn in turns)

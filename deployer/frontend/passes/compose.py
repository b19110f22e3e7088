"""Transposes with Reshapes between them, such as a channel shuffle, as one Transpose.

Reshape and Transpose only walk over the source in another order, so what stands behind a chain of
them is a list of loops over the source: (size, stride) from the outermost to the innermost.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from deployer.frontend.limits import MAX_AXES
from deployer.frontend.passes.aliases import alias_value, aliases_before
from deployer.frontend.passes.draft import Draft
from deployer.frontend.passes.edit import Edit, fresh, origins
from deployer.ir import Node, ReshapeAttrs, TransposeAttrs

Shape = tuple[int, ...]
Loop = tuple[int, int]


def compose(graph: Draft, node: Node) -> Edit | None:
    """A chain with Transposes at both ends: one Reshape, one Transpose, one Reshape.

    None when a Reshape cuts an axis where its size does not divide.
    """
    if node.op != "Transpose":
        return None
    chain = [*aliases_before(graph, node.first), node]
    for begin in [i for i, alias in enumerate(chain[:-1]) if alias.op == "Transpose"]:
        part = chain[begin:]
        shapes = [graph.values[name].shape for name in (part[0].first, *_outputs(part))]
        loops = _behind(shapes, part)
        if loops is not None and len(_merged(loops)) < MAX_AXES:
            return _as_one(graph, part, loops)
    return None


def begin_at_input(graph: Draft, node: Node) -> Edit | None:
    """A Transpose behind Reshapes of an input, as a Transpose of the input itself."""
    if node.op != "Transpose":
        return None
    chain = [*aliases_before(graph, node.first), node]
    source = chain[0].first
    if source not in graph.inputs or chain[0].op != "Reshape":
        return None
    shapes = [graph.values[name].shape for name in (source, *_outputs(chain))]
    loops = None if shapes[1] == shapes[0] else _behind(shapes, chain)
    if loops is None or _walked(_merged(loops)) != shapes[0]:
        return None
    return _as_one(graph, chain, loops)


def flatten_axes(graph: Draft, node: Node) -> Edit | None:
    """A Transpose of many axes as one of fewer: axes of size 1 left out, neighbours joined."""
    if node.op != "Transpose" or len(node.attrs.perm) <= MAX_AXES:
        return None
    loops = _behind([graph.values[node.first].shape, graph.values[node.output].shape], [node])
    if loops is None or len(_merged(loops)) >= MAX_AXES:
        return None
    return _as_one(graph, [node], loops)


def _outputs(chain: Sequence[Node]) -> list[str]:
    return [node.output for node in chain]


def _behind(shapes: Sequence[Shape], chain: Sequence[Node]) -> list[Loop] | None:
    """The loops behind ``chain``; ``shapes`` are those of its source and of every output."""
    axes = _grouped([(math.prod(shapes[0]), 1)], shapes[0])
    for node, shape in zip(chain, shapes[1:], strict=True):
        if axes is None:
            return None
        if node.op == "Transpose":
            axes = [axes[i] for i in node.attrs.perm]
        else:
            axes = _grouped([loop for axis in axes for loop in axis], shape)
    return None if axes is None else [loop for axis in axes for loop in axis]


def _grouped(loops: Sequence[Loop], shape: Shape) -> list[list[Loop]] | None:
    """The loops of every axis of ``shape``, cut where an axis ends; None where that is between
    two elements of a loop."""
    left = [loop for loop in loops if loop[0] != 1][::-1]
    axes: list[list[Loop]] = []
    for need in shape:
        axis: list[Loop] = []
        while need > 1:
            size, stride = left.pop()
            if need % size and size % need:
                return None
            if size > need:
                left.append((size // need, stride))
                size, stride = need, stride * (size // need)
            axis.append((size, stride))
            need //= size
        axes.append(axis)
    return axes


def _merged(loops: Sequence[Loop]) -> list[Loop]:
    """Loops that walk on where the inner one ends, as one."""
    merged: list[Loop] = []
    for size, stride in loops:
        if merged and merged[-1][1] == size * stride:
            merged[-1] = (merged[-1][0] * size, stride)
        else:
            merged.append((size, stride))
    return merged


def _walked(merged: Sequence[Loop]) -> Shape:
    """The shape of the source in which every loop is an axis, behind the batch."""
    return (1, *(size for size, _ in sorted(merged, key=lambda loop: -loop[1])))


def _as_one(graph: Draft, chain: Sequence[Node], loops: Sequence[Loop]) -> Edit:
    node, merged = chain[-1], _merged(loops)
    fine, strides = _walked(merged), sorted((stride for _, stride in merged), reverse=True)
    perm = (0, *(strides.index(stride) + 1 for _, stride in merged))
    inner, outer = fresh(graph, f"{node.name}/in"), fresh(graph, f"{node.name}/out")
    origin, final = origins(*chain), ReshapeAttrs(graph.values[node.output].shape)
    steps = (
        Node(inner, "Reshape", chain[0].inputs, (inner,), ReshapeAttrs(fine), origin=origin),
        replace(node, inputs=(inner,), outputs=(outer,), attrs=TransposeAttrs(perm), origin=origin),
        Node(outer, "Reshape", (outer,), node.outputs, final, origin=origin),
    )
    shapes = ((inner, fine), (outer, tuple(fine[i] for i in perm)))
    return Edit({node.name: steps}, {name: alias_value(name, shape) for name, shape in shapes})

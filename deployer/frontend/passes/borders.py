"""A Pad before a convolution or pool joins its window, where that is exact."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from deployer.frontend.passes.affine import is_pointwise
from deployer.frontend.passes.aliases import ALIASES
from deployer.frontend.passes.edit import Edit, apply, origins
from deployer.frontend.windows import always_inside
from deployer.ir.attrs import Pads, PoolAttrs
from deployer.ir.graph import Graph, Node


def join_border(graph: Graph, node: Node) -> Graph | None:
    """``node`` reads the value before the Pad, with the border in its own pads."""
    border = graph.producer.get(node.inputs[0])
    if border is None or not is_border(graph, border):
        return None
    attrs = _with_border(graph, node, border)
    if attrs is None:
        return None
    inputs = (border.inputs[0], *node.inputs[1:])
    joined = replace(node, inputs=inputs, attrs=attrs, origin=origins(border, node))
    return apply(graph, Edit({node.name: (joined,)}))


def is_border(graph: Graph, node: Node) -> bool:
    """A pointwise convolution that copies its input into a border of zeros."""
    if not is_pointwise(node) or not node.attrs.window.pads.any or node.attrs.clamp.active:
        return False
    weights, bias = (graph.constants[name] for name in node.inputs[1:3])
    same_channels = weights.shape[2] == graph.values[node.inputs[0]].shape[3]
    return same_channels and bool(np.all(weights == 1)) and not np.any(bias)


def _with_border(graph: Graph, node: Node, border: Node) -> Any:
    """The attributes with the border added; None when the result would differ."""
    if node.op not in ("Conv2d", "DepthwiseConv2d", "AveragePool", "MaxPool"):
        return None
    own, extra = node.attrs.window.pads, border.attrs.window.pads
    pads = Pads(
        own.top + extra.top,
        own.left + extra.left,
        own.bottom + extra.bottom,
        own.right + extra.right,
    )
    attrs = replace(node.attrs, window=replace(node.attrs.window, pads=pads))
    if not isinstance(attrs, PoolAttrs):
        return attrs
    _, height, width, _ = graph.values[border.inputs[0]].shape
    if not always_inside(attrs.window, (height, width)):
        return None
    if node.op == "AveragePool":
        counted = attrs.count_include_pad or not own.any
        return replace(attrs, count_include_pad=True) if counted else None
    return attrs if _never_negative(graph, border.inputs[0]) else None


def _never_negative(graph: Graph, name: str) -> bool:
    """Whether a zero cannot be the largest of a window by mistake."""
    node = graph.producer.get(name)
    if node is None:
        return False
    if node.op == "Softmax":
        return True
    if node.op not in ALIASES and node.attrs.clamp.low is not None and node.attrs.clamp.low >= 0:
        return True
    return node.op in (*ALIASES, "MaxPool") and _never_negative(graph, node.inputs[0])

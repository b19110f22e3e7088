"""A Pad before a convolution or pool joins its window, where that is exact."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from deployer.frontend.passes.aliases import ALIASES
from deployer.frontend.passes.draft import Draft
from deployer.frontend.passes.edit import Edit, origins
from deployer.frontend.windows import always_inside
from deployer.ir import ConvAttrs, Node, Pads, PoolAttrs


def join_border(graph: Draft, node: Node) -> Edit | None:
    """``node`` reads the value before the Pad, with the border in its own pads."""
    border = graph.producer.get(node.first)
    if border is None or border.op != "Pad":
        return None
    extra = _border(border)
    attrs = None if extra is None else _with_border(graph, node, border, extra)
    if attrs is None:
        return None
    inputs = (border.first, *node.inputs[1:])
    joined = replace(node, inputs=inputs, attrs=attrs, origin=origins(border, node))
    return Edit({node.name: (joined,)})


def _border(pad: Node) -> Pads | None:
    """The zeros that a Pad adds to height and width; None when it adds anything else."""
    before, after = pad.attrs.before, pad.attrs.after
    if pad.attrs.value != 0 or len(before) != 4 or before[3] or after[3]:
        return None
    return Pads(before[1], before[2], after[1], after[2])


def _with_border(graph: Draft, node: Node, border: Node, extra: Pads) -> Any:
    """The attributes with the border added; None when the result would differ."""
    if not isinstance(node.attrs, ConvAttrs | PoolAttrs):
        return None
    own = node.attrs.window.pads
    pads = Pads(
        own.top + extra.top,
        own.left + extra.left,
        own.bottom + extra.bottom,
        own.right + extra.right,
    )
    attrs = replace(node.attrs, window=replace(node.attrs.window, pads=pads))
    if not isinstance(attrs, PoolAttrs):
        return attrs
    _, height, width, _ = graph.values[border.first].shape
    if not always_inside(attrs.window, (height, width)):
        return None
    if node.op == "AveragePool":
        counted = attrs.count_include_pad or not own.any
        return replace(attrs, count_include_pad=True) if counted else None
    keeps = node.op == "MaxPool" and _never_negative(graph, border.first)
    return attrs if keeps else None


def _never_negative(graph: Draft, name: str) -> bool:
    """Whether a zero cannot be the largest of a window by mistake."""
    node = graph.producer.get(name)
    if node is None:
        return False
    if node.op == "Softmax" or (node.op == "Table" and node.attrs.function in _POSITIVE):
        return True
    clamp = getattr(node.attrs, "clamp", None)
    if clamp is not None and clamp.low is not None and clamp.low >= 0:
        return True
    return node.op in (*ALIASES, "MaxPool", "Slice") and _never_negative(graph, node.first)


_POSITIVE = ("sigmoid", "hard_sigmoid", "softplus", "abs", "sqrt", "exp")

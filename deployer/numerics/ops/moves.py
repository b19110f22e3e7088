"""Operators that move, repeat or interpolate elements."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from deployer.ir import Graph, Node, ResizeMode
from deployer.numerics import rearrange
from deployer.numerics.interpolate import weight_bits, weighted_sum
from deployer.numerics.ops.define import Arrays, Definition, magnitude, with_entries
from deployer.numerics.requant import INT32_MAX
from deployer.numerics.steps import quantize


def _concat_real(node: Node, inputs: Arrays) -> np.ndarray:
    return rearrange.concat(inputs, node.attrs.axis)


def _concat(graph: Graph, node: Node, inputs: Arrays) -> np.ndarray:
    """Entry i of the tables brings input i to the output's scale."""
    parts = [with_entries(graph, node, x, slice(i, i + 1)) for i, x in enumerate(inputs)]
    return rearrange.concat(parts, node.attrs.axis)


def _pad_real(node: Node, inputs: Arrays) -> np.ndarray:
    return rearrange.pad(inputs[0], node.attrs, node.attrs.value)


def _pad(graph: Graph, node: Node, inputs: Arrays) -> np.ndarray:
    (x,) = inputs
    return rearrange.pad(x, node.attrs, pad_value(graph, node))


def pad_value(graph: Graph, node: Node) -> int:
    """The integer of a Pad's value in the tensor's quantization."""
    return int(quantize(node.attrs.value, graph.values[node.output].q))


def _resize_real(node: Node, inputs: Arrays) -> np.ndarray:
    (x,), attrs = inputs, node.attrs
    if attrs.mode == ResizeMode.NEAREST:
        return rearrange.enlarge(x, attrs)
    return weighted_sum(x, attrs) / np.float32(1 << weight_bits(attrs))


def _resize(graph: Graph, node: Node, inputs: Arrays) -> np.ndarray:
    """Linear: the sum of four weighted neighbours, rounded half up. Scale and zero point stay."""
    (x,), attrs = inputs, node.attrs
    if attrs.mode == ResizeMode.NEAREST:
        return rearrange.enlarge(x, attrs)
    bits = weight_bits(attrs)
    if (magnitude(x) << bits) - (1 << (bits - 1)) > INT32_MAX + 1:
        raise OverflowError(f"a resize by {attrs.factors} leaves int32")
    return ((weighted_sum(x.astype(np.int32), attrs) + (1 << (bits - 1))) >> bits).astype(x.dtype)


def _slice(node: Node, inputs: Arrays) -> np.ndarray:
    return rearrange.crop(inputs[0], node.attrs)


def _depth_to_space(node: Node, inputs: Arrays) -> np.ndarray:
    return rearrange.depth_to_space(inputs[0], node.attrs)


def _space_to_depth(node: Node, inputs: Arrays) -> np.ndarray:
    return rearrange.space_to_depth(inputs[0], node.attrs)


def _reshape(node: Node, inputs: Arrays) -> np.ndarray:
    (x,) = inputs
    return x.reshape(len(x), *node.attrs.shape[1:])


def _transpose(node: Node, inputs: Arrays) -> np.ndarray:
    (x,) = inputs
    return x.transpose(node.attrs.perm)


def _moves(move: Callable[[Node, Arrays], np.ndarray]) -> Definition:
    """Of what does the same with reals and with integers."""
    return Definition(move, lambda graph, node, inputs: move(node, inputs))


DEFINITIONS: Mapping[str, Definition] = {
    "Concat": Definition(_concat_real, _concat),
    "Slice": _moves(_slice),
    "Pad": Definition(_pad_real, _pad),
    "Resize": Definition(_resize_real, _resize),
    "DepthToSpace": _moves(_depth_to_space),
    "SpaceToDepth": _moves(_space_to_depth),
    "Reshape": _moves(_reshape),
    "Transpose": _moves(_transpose),
}

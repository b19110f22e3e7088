"""Operators on single elements."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from deployer.ir import Graph, Node
from deployer.numerics import functions
from deployer.numerics.functions import look_up
from deployer.numerics.ops.define import (
    Arrays,
    Definition,
    clamp,
    finish,
    input_zero,
    magnitude,
    out_type,
    with_entries,
)
from deployer.numerics.requant import INT32_MAX


def _add_real(node: Node, inputs: Arrays) -> np.ndarray:
    left, right = inputs
    return clamp(left + right, node.attrs.clamp)


def _sub_real(node: Node, inputs: Arrays) -> np.ndarray:
    left, right = inputs
    return clamp(left - right, node.attrs.clamp)


def _sum(graph: Graph, node: Node, inputs: Arrays) -> np.ndarray:
    """``multiplier`` holds two entries, one per input (the second negative in a Sub);
    ``rounding`` and ``shift`` one."""
    ma, mb = graph.constants[node.rq.multiplier].tolist()
    rounding, shift = (int(graph.constants[n][0]) for n in (node.rq.rounding, node.rq.shift))
    if magnitude(inputs[0]) * (abs(ma) + abs(mb)) + abs(rounding) > INT32_MAX:
        raise OverflowError("an addition leaves int32: the range analysis was wrong")
    total = inputs[0].astype(np.int32) * np.int32(ma)
    total += inputs[1].astype(np.int32) * np.int32(mb)
    total += np.int32(rounding)
    total >>= shift
    return np.clip(total, node.rq.low, node.rq.high, out=total).astype(out_type(graph, node))


def _mul_real(node: Node, inputs: Arrays) -> np.ndarray:
    left, right = inputs
    return clamp(left * right, node.attrs.clamp)


def _mul(graph: Graph, node: Node, inputs: Arrays) -> np.ndarray:
    left, right = (
        x.astype(np.int32) - graph.values[name].q.zero_point
        for x, name in zip(inputs, node.inputs, strict=True)
    )
    return finish(graph, node, left * right)


def _maximum_real(node: Node, inputs: Arrays) -> np.ndarray:
    left, right = inputs
    return clamp(np.maximum(left, right), node.attrs.clamp)


def _maximum(graph: Graph, node: Node, inputs: Arrays) -> np.ndarray:
    """Entry i of the tables brings input i to the output's scale."""
    parts = (with_entries(graph, node, x, slice(i, i + 1)) for i, x in enumerate(inputs))
    largest: np.ndarray = np.maximum(*parts)
    return largest


def _prelu_real(node: Node, inputs: Arrays) -> np.ndarray:
    """The second input holds one slope per channel."""
    x, slope = inputs
    return clamp(np.where(x < 0, x * slope, x), node.attrs.clamp)


def _prelu(graph: Graph, node: Node, inputs: Arrays) -> np.ndarray:
    """Entry 0 of the tables serves values from the zero point up, entry 1 + c those below it."""
    (x,) = inputs
    centred = x.astype(np.int32) - input_zero(graph, node)
    entry = np.where(centred < 0, 1 + np.arange(centred.shape[-1]), 0)
    return with_entries(graph, node, centred, entry)


def _table_real(node: Node, inputs: Arrays) -> np.ndarray:
    (x,) = inputs
    return functions.apply(node.attrs, x).astype(np.float32)


def _table(graph: Graph, node: Node, inputs: Arrays) -> np.ndarray:
    x, entries = inputs
    return look_up(entries, x)


def _rescale_real(node: Node, inputs: Arrays) -> np.ndarray:
    (x,) = inputs
    return clamp(x, node.attrs.clamp)


def _rescale(graph: Graph, node: Node, inputs: Arrays) -> np.ndarray:
    (x,) = inputs
    return finish(graph, node, x.astype(np.int32))


DEFINITIONS: Mapping[str, Definition] = {
    "Add": Definition(_add_real, _sum),
    "Sub": Definition(_sub_real, _sum),
    "Mul": Definition(_mul_real, _mul),
    "Maximum": Definition(_maximum_real, _maximum),
    "PRelu": Definition(_prelu_real, _prelu),
    "Table": Definition(_table_real, _table),
    "Rescale": Definition(_rescale_real, _rescale),
}

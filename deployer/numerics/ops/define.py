"""What a definition of an operator consists of, and how its two sides end: reals in a clamp,
integers in a requantization."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from deployer.ir import Clamp, Graph, Node
from deployer.numerics.requant import requantize

Arrays = Sequence[np.ndarray]


@dataclass(frozen=True)
class Definition:
    """What an operator computes: NHWC batches in, NHWC batches out, activations then constants.

    ``real`` takes a node and float32 arrays. ``integer`` takes a graph, a node of it and arrays of
    int8 or int16 as the graph's values say; kernels give the same, bit for bit.
    """

    real: Callable[[Node, Arrays], np.ndarray]
    integer: Callable[[Graph, Node, Arrays], np.ndarray]


def clamp(x: np.ndarray, bounds: Clamp) -> np.ndarray:
    return np.clip(x, bounds.low, bounds.high) if bounds.active else x


def input_zero(graph: Graph, node: Node) -> int:
    """Zero point of the node's first input."""
    return graph.values[node.inputs[0]].q.zero_point


def finish(graph: Graph, node: Node, acc: np.ndarray) -> np.ndarray:
    """``acc``, sums of the node's products and its bias, requantized."""
    return with_entries(graph, node, acc, slice(None))


def with_entries(
    graph: Graph, node: Node, acc: np.ndarray, entries: np.ndarray | slice
) -> np.ndarray:
    """``acc`` requantized to the output's type by those entries of the node's tables."""
    rq, kind = node.rq, out_type(graph, node)
    tables = (graph.constants[name][entries] for name in (rq.multiplier, rq.rounding, rq.shift))
    return requantize(acc, rq.rule, *tables, low=rq.low, high=rq.high, dtype=kind)


def out_type(graph: Graph, node: Node) -> np.dtype:
    """Of the output's integers."""
    return graph.values[node.output].dtype.numpy


def magnitude(x: np.ndarray) -> int:
    """The largest of the type: 128 or 32,768."""
    return -int(np.iinfo(x.dtype).min)

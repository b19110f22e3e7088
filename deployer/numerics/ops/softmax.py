"""Softmax by a table of powers."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from deployer.ir import Graph, Node
from deployer.numerics.ops.define import Arrays, Definition

SOFTMAX_BITS = 15


def _softmax_real(node: Node, inputs: Arrays) -> np.ndarray:
    (x,) = inputs
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    shares: np.ndarray = powers / powers.sum(axis=-1, keepdims=True)
    return shares


def _softmax(graph: Graph, node: Node, inputs: Arrays) -> np.ndarray:
    x, table = inputs
    quant = graph.values[node.output].q
    levels = round(1 / quant.tensor_scale)
    powers = table[x.max(axis=-1, keepdims=True).astype(np.int32) - x].astype(np.int64)
    total = powers.sum(axis=-1, keepdims=True)
    scaled = quant.zero_point + (powers * levels + total // 2) // total
    saturated: np.ndarray = np.minimum(scaled, 127).astype(np.int8)
    return saturated


def softmax_table(scale: float) -> np.ndarray:
    """256 int32 entries: entry d is ``round(2^15 * exp(-scale * d))``."""
    powers = np.exp(-scale * np.arange(256))
    entries: np.ndarray = np.floor(powers * (1 << SOFTMAX_BITS) + 0.5).astype(np.int32)
    return entries


DEFINITIONS: Mapping[str, Definition] = {"Softmax": Definition(_softmax_real, _softmax)}

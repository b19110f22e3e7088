"""Products of two activations. Sums of products are taken by float BLAS, which holds them exactly:
one of at most 2^53 / 255^2 terms."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from deployer.ir import Graph, Node
from deployer.numerics.ops.define import Arrays, Definition, clamp, finish


def _matmul_real(node: Node, inputs: Arrays) -> np.ndarray:
    left, right = inputs
    product = left @ right.swapaxes(-1, -2)
    return clamp(product * np.float32(node.attrs.scale), node.attrs.clamp)


def _matmul(graph: Graph, node: Node, inputs: Arrays) -> np.ndarray:
    left, right = (
        x.astype(np.float64) - graph.values[name].q.zero_point
        for x, name in zip(inputs, node.inputs, strict=True)
    )
    sums = (left @ right.swapaxes(-1, -2)).astype(np.int64)
    return finish(graph, node, sums)


DEFINITIONS: Mapping[str, Definition] = {"MatMul": Definition(_matmul_real, _matmul)}

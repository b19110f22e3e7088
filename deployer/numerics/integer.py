"""Integer definition of every operator: what each kernel must compute, bit for bit.

NHWC int8 batches. Sums of products are taken by float BLAS in a width that holds them exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from deployer.ir.graph import Graph, Node
from deployer.numerics.floating import depthwise_sum
from deployer.numerics.requant import requantize
from deployer.numerics.windows import taps, taps_inside

Arrays = Sequence[np.ndarray]

_EXACT_FLOAT32 = 2**24
_LARGEST_PRODUCT = 128 * 127
SOFTMAX_BITS = 15


def evaluate(graph: Graph, node: Node, inputs: Arrays) -> np.ndarray:
    """The int8 output of ``node`` for ``inputs``: activations with any batch, then constants."""
    return _OPS[node.op](graph, node, inputs)


def exact_matmul(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """int8 (M, K) times int8 (K, N), exactly, as int32."""
    narrow = x.shape[1] * _LARGEST_PRODUCT < _EXACT_FLOAT32
    kind = np.float32 if narrow else np.float64
    return (x.astype(kind) @ w.astype(kind)).astype(np.int32)


def conv2d(graph: Graph, node: Node, inputs: Arrays) -> np.ndarray:
    x, weights, bias = inputs
    groups, out = node.attrs.groups, weights.shape[0]
    zero = input_zero(graph, node)
    parts = [
        _dense_conv(part, weights[g * out // groups : (g + 1) * out // groups], node, zero)
        for g, part in enumerate(np.split(x, groups, axis=3))
    ]
    return _finish(graph, node, np.concatenate(parts, axis=3) + bias)


def _dense_conv(x: np.ndarray, weights: np.ndarray, node: Node, zero: int) -> np.ndarray:
    patches = taps(x, node.attrs.window, zero)
    kernel = weights.transpose(3, 1, 2, 0).reshape(-1, weights.shape[0])
    rows = [exact_matmul(patch.reshape(-1, kernel.shape[0]), kernel) for patch in patches]
    return np.stack(rows).reshape(*patches.shape[:3], -1)


def depthwise(graph: Graph, node: Node, inputs: Arrays) -> np.ndarray:
    x, weights, bias = inputs
    patches = taps(x, node.attrs.window, input_zero(graph, node))
    return _finish(graph, node, depthwise_sum(patches, weights.astype(np.int32)) + bias)


def dense(graph: Graph, node: Node, inputs: Arrays) -> np.ndarray:
    x, weights, bias = inputs
    return _finish(graph, node, exact_matmul(x, weights.T) + bias)


def add(graph: Graph, node: Node, inputs: Arrays) -> np.ndarray:
    """``multiplier`` holds two entries, one per input; ``rounding`` and ``shift`` one."""
    left, right = (
        x.astype(np.int64) * m
        for x, m in zip(inputs, graph.constants[node.rq.multiplier], strict=True)
    )
    total = left + right + graph.constants[node.rq.rounding][0]
    shifted = total >> graph.constants[node.rq.shift][0]
    return np.clip(shifted, node.rq.low, node.rq.high).astype(np.int8)


def average_pool(graph: Graph, node: Node, inputs: Arrays) -> np.ndarray:
    """Entry n - 1 of the requantization tables serves windows with n taps inside."""
    x, window = inputs[0], node.attrs.window
    total = taps(x.astype(np.int32), window, 0).sum(axis=(-1, -2))
    entry = taps_inside(window, x.shape[1], x.shape[2])[None, :, :, None] - 1
    tables = (graph.constants[name][entry] for name in _tables(node))
    return requantize(total, node.rq.rule, *tables, low=node.rq.low, high=node.rq.high)


def max_pool(graph: Graph, node: Node, inputs: Arrays) -> np.ndarray:
    best = taps(inputs[0], node.attrs.window, -128).max(axis=(-1, -2))
    return np.clip(best, node.rq.low, node.rq.high).astype(np.int8)


def rescale(graph: Graph, node: Node, inputs: Arrays) -> np.ndarray:
    return _finish(graph, node, inputs[0].astype(np.int32))


def softmax(graph: Graph, node: Node, inputs: Arrays) -> np.ndarray:
    x, table = inputs
    quant = graph.values[node.output].q
    levels = round(1 / quant.tensor_scale)
    powers = table[x.max(axis=-1, keepdims=True).astype(np.int32) - x].astype(np.int64)
    total = powers.sum(axis=-1, keepdims=True)
    scaled = quant.zero_point + (powers * levels + total // 2) // total
    return np.minimum(scaled, 127).astype(np.int8)


def softmax_table(scale: float) -> np.ndarray:
    """256 int32 entries: entry d is ``round(2^15 * exp(-scale * d))``."""
    powers = np.exp(-scale * np.arange(256))
    return np.floor(powers * (1 << SOFTMAX_BITS) + 0.5).astype(np.int32)


def reshape(graph: Graph, node: Node, inputs: Arrays) -> np.ndarray:
    return inputs[0].reshape(len(inputs[0]), *node.attrs.shape[1:])


def transpose(graph: Graph, node: Node, inputs: Arrays) -> np.ndarray:
    return inputs[0].transpose(node.attrs.perm)


def input_zero(graph: Graph, node: Node) -> int:
    """Zero point of the node's first input."""
    return graph.values[node.inputs[0]].q.zero_point


def _finish(graph: Graph, node: Node, acc: np.ndarray) -> np.ndarray:
    tables = (graph.constants[name] for name in _tables(node))
    return requantize(acc, node.rq.rule, *tables, low=node.rq.low, high=node.rq.high)


def _tables(node: Node) -> tuple[str, str, str]:
    return node.rq.multiplier, node.rq.rounding, node.rq.shift


_OPS: dict[str, Callable[[Graph, Node, Arrays], np.ndarray]] = {
    "Conv2d": conv2d,
    "DepthwiseConv2d": depthwise,
    "FullyConnected": dense,
    "Add": add,
    "AveragePool": average_pool,
    "MaxPool": max_pool,
    "Rescale": rescale,
    "Softmax": softmax,
    "Reshape": reshape,
    "Transpose": transpose,
}

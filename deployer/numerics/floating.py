"""Float definition of every operator: NHWC batches in, NHWC batches out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from deployer.ir.attrs import Clamp
from deployer.ir.graph import Node
from deployer.numerics.windows import taps, taps_inside

Arrays = Sequence[np.ndarray]


def evaluate(node: Node, inputs: Arrays) -> np.ndarray:
    """The float32 output of ``node`` for ``inputs``: activations with any batch, then constants."""
    return _OPS[node.op](node, inputs)


def conv2d(node: Node, inputs: Arrays) -> np.ndarray:
    x, weights, bias = inputs
    attrs = node.attrs
    groups, out = attrs.groups, weights.shape[0]
    parts = [
        _dense_conv(part, weights[g * out // groups : (g + 1) * out // groups], node)
        for g, part in enumerate(np.split(x, groups, axis=3))
    ]
    return clamp(np.concatenate(parts, axis=3) + bias, attrs.clamp)


def _dense_conv(x: np.ndarray, weights: np.ndarray, node: Node) -> np.ndarray:
    patches = taps(x, node.attrs.window, 0)
    kernel = weights.transpose(3, 1, 2, 0).reshape(-1, weights.shape[0])
    rows = [patch.reshape(-1, kernel.shape[0]) @ kernel for patch in patches]
    return np.stack(rows).reshape(*patches.shape[:3], -1)


def depthwise(node: Node, inputs: Arrays) -> np.ndarray:
    x, weights, bias = inputs
    out = depthwise_sum(taps(x, node.attrs.window, 0), weights)
    return clamp(out + bias, node.attrs.clamp)


def depthwise_sum(patches: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Sum over the taps, one at a time: (N, OH, OW, C, kh, kw) and (kh, kw, C·m) to NHWC."""
    kh, kw, out_channels = weights.shape
    repeat = out_channels // patches.shape[3]
    total = np.zeros((*patches.shape[:3], out_channels), dtype=weights.dtype)
    for y in range(kh):
        for x in range(kw):
            total += np.repeat(patches[..., y, x], repeat, axis=3) * weights[y, x]
    return total


def dense(node: Node, inputs: Arrays) -> np.ndarray:
    x, weights, bias = inputs
    return clamp(x @ weights.T + bias, node.attrs.clamp)


def add(node: Node, inputs: Arrays) -> np.ndarray:
    return clamp(inputs[0] + inputs[1], node.attrs.clamp)


def average_pool(node: Node, inputs: Arrays) -> np.ndarray:
    x, attrs = inputs[0], node.attrs
    total = taps(x, attrs.window, 0).sum(axis=(-1, -2))
    inside = taps_inside(attrs.window, x.shape[1], x.shape[2])[None, :, :, None]
    count = attrs.window.taps if attrs.count_include_pad else inside
    return clamp((total / count).astype(np.float32), attrs.clamp)


def max_pool(node: Node, inputs: Arrays) -> np.ndarray:
    best = taps(inputs[0], node.attrs.window, -np.inf).max(axis=(-1, -2))
    return clamp(best, node.attrs.clamp)


def rescale(node: Node, inputs: Arrays) -> np.ndarray:
    return clamp(inputs[0], node.attrs.clamp)


def softmax(node: Node, inputs: Arrays) -> np.ndarray:
    powers = np.exp(inputs[0] - inputs[0].max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def reshape(node: Node, inputs: Arrays) -> np.ndarray:
    return inputs[0].reshape(len(inputs[0]), *node.attrs.shape[1:])


def transpose(node: Node, inputs: Arrays) -> np.ndarray:
    return inputs[0].transpose(node.attrs.perm)


def clamp(x: np.ndarray, bounds: Clamp) -> np.ndarray:
    return np.clip(x, bounds.low, bounds.high) if bounds.active else x


_OPS: dict[str, Callable[[Node, Arrays], np.ndarray]] = {
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

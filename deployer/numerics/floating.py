"""Float definition of every operator: NHWC batches in, NHWC batches out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from deployer.ir.attrs import Clamp
from deployer.ir.graph import Node
from deployer.numerics import functions, rearrange
from deployer.numerics.convolve import (
    convolve,
    depthwise_sum,
    product,
    window_max,
    window_sum,
)
from deployer.numerics.convolve_transposed import transposed_sums
from deployer.numerics.interpolate import weight_bits, weighted_sum
from deployer.numerics.windows import taps_inside

Arrays = Sequence[np.ndarray]


def evaluate(node: Node, inputs: Arrays) -> np.ndarray:
    """The float32 output of ``node`` for ``inputs``: activations with any batch, then constants."""
    return _OPS[node.op](node, inputs)


def conv2d(node: Node, inputs: Arrays) -> np.ndarray:
    x, weights, bias = inputs
    attrs = node.attrs
    sums = convolve(x, weights, attrs.window, groups=attrs.groups, fill=0)
    return clamp(sums + bias, attrs.clamp)


def depthwise(node: Node, inputs: Arrays) -> np.ndarray:
    x, weights, bias = inputs
    return clamp(depthwise_sum(x, weights, node.attrs.window, 0) + bias, node.attrs.clamp)


def dense(node: Node, inputs: Arrays) -> np.ndarray:
    x, weights, bias = inputs
    return clamp(product(x, weights.T) + bias, node.attrs.clamp)


def add(node: Node, inputs: Arrays) -> np.ndarray:
    left, right = inputs
    return clamp(left + right, node.attrs.clamp)


def average_pool(node: Node, inputs: Arrays) -> np.ndarray:
    (x,), attrs = inputs, node.attrs
    total = window_sum(x, attrs.window)
    inside = taps_inside(attrs.window, x.shape[1], x.shape[2])[None, :, :, None]
    count = attrs.window.taps if attrs.count_include_pad else inside
    return clamp((total / count).astype(np.float32), attrs.clamp)


def max_pool(node: Node, inputs: Arrays) -> np.ndarray:
    (x,) = inputs
    return clamp(window_max(x, node.attrs.window, -np.inf), node.attrs.clamp)


def rescale(node: Node, inputs: Arrays) -> np.ndarray:
    (x,) = inputs
    return clamp(x, node.attrs.clamp)


def softmax(node: Node, inputs: Arrays) -> np.ndarray:
    (x,) = inputs
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def reshape(node: Node, inputs: Arrays) -> np.ndarray:
    (x,) = inputs
    return x.reshape(len(x), *node.attrs.shape[1:])


def transpose(node: Node, inputs: Arrays) -> np.ndarray:
    (x,) = inputs
    return x.transpose(node.attrs.perm)


def conv_transpose(node: Node, inputs: Arrays) -> np.ndarray:
    x, weights, bias = inputs
    return clamp(transposed_sums(x, weights, node.attrs) + bias, node.attrs.clamp)


def sub(node: Node, inputs: Arrays) -> np.ndarray:
    left, right = inputs
    return clamp(left - right, node.attrs.clamp)


def mul(node: Node, inputs: Arrays) -> np.ndarray:
    left, right = inputs
    return clamp(left * right, node.attrs.clamp)


def prelu(node: Node, inputs: Arrays) -> np.ndarray:
    """The second input holds one slope per channel."""
    x, slope = inputs
    return clamp(np.where(x < 0, x * slope, x), node.attrs.clamp)


def table(node: Node, inputs: Arrays) -> np.ndarray:
    (x,) = inputs
    return functions.apply(node.attrs, x).astype(np.float32)


def resize(node: Node, inputs: Arrays) -> np.ndarray:
    (x,), attrs = inputs, node.attrs
    if attrs.mode == "nearest":
        return rearrange.enlarge(x, attrs)
    return weighted_sum(x, attrs) / np.float32(1 << weight_bits(attrs))


def clamp(x: np.ndarray, bounds: Clamp) -> np.ndarray:
    return np.clip(x, bounds.low, bounds.high) if bounds.active else x


_OPS: dict[str, Callable[[Node, Arrays], np.ndarray]] = {
    "Conv2d": conv2d,
    "DepthwiseConv2d": depthwise,
    "FullyConnected": dense,
    "ConvTranspose2d": conv_transpose,
    "Add": add,
    "Sub": sub,
    "Mul": mul,
    "PRelu": prelu,
    "Table": table,
    "Concat": lambda node, inputs: rearrange.concat(inputs, node.attrs.axis),
    "Slice": lambda node, inputs: rearrange.crop(inputs[0], node.attrs),
    "Pad": lambda node, inputs: rearrange.pad(inputs[0], node.attrs, node.attrs.value),
    "Resize": resize,
    "DepthToSpace": lambda node, inputs: rearrange.depth_to_space(inputs[0], node.attrs),
    "SpaceToDepth": lambda node, inputs: rearrange.space_to_depth(inputs[0], node.attrs),
    "AveragePool": average_pool,
    "MaxPool": max_pool,
    "Rescale": rescale,
    "Softmax": softmax,
    "Reshape": reshape,
    "Transpose": transpose,
}

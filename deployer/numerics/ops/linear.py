"""Convolutions and the fully connected layer. Sums of products are taken by float BLAS in a width
that holds them exactly."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from deployer.ir import Graph, Node, Window
from deployer.numerics.convolve import convolve, depthwise_sum, product
from deployer.numerics.convolve_transposed import transposed_sums
from deployer.numerics.ops.define import (
    Arrays,
    Definition,
    clamp,
    finish,
    input_zero,
    magnitude,
)
from deployer.numerics.requant import INT32_MAX

_EXACT_FLOAT32 = 2**24


def _conv2d_real(node: Node, inputs: Arrays) -> np.ndarray:
    x, weights, bias = inputs
    attrs = node.attrs
    sums = convolve(x, weights, attrs.window, groups=attrs.groups, fill=0)
    return clamp(sums + bias, attrs.clamp)


def _conv2d(graph: Graph, node: Node, inputs: Arrays) -> np.ndarray:
    x, weights, bias = inputs
    attrs, zero = node.attrs, input_zero(graph, node)
    sums = conv_sums(x, weights, attrs.window, groups=attrs.groups, zero=zero)
    return finish(graph, node, _plus_bias(sums, bias))


def conv_sums(
    x: np.ndarray, weights: np.ndarray, window: Window, *, zero: int, groups: int = 1
) -> np.ndarray:
    """Exact sums of products, int32 or int64; a padded tap reads ``zero``."""
    kind = exact_type(x, weights, (1, 2, 3))
    return _integers(
        convolve(x.astype(kind), weights.astype(kind), window, groups=groups, fill=zero)
    )


def _depthwise_real(node: Node, inputs: Arrays) -> np.ndarray:
    x, weights, bias = inputs
    return clamp(depthwise_sum(x, weights, node.attrs.window, 0) + bias, node.attrs.clamp)


def _depthwise(graph: Graph, node: Node, inputs: Arrays) -> np.ndarray:
    x, weights, bias = inputs
    kind, zero = exact_type(x, weights, (0, 1)), input_zero(graph, node)
    sums = depthwise_sum(x.astype(kind), weights.astype(kind), node.attrs.window, zero)
    return finish(graph, node, _plus_bias(_integers(sums), bias))


def _fully_connected_real(node: Node, inputs: Arrays) -> np.ndarray:
    x, weights, bias = inputs
    return clamp(product(x, weights.T) + bias, node.attrs.clamp)


def _fully_connected(graph: Graph, node: Node, inputs: Arrays) -> np.ndarray:
    x, weights, bias = inputs
    return finish(graph, node, _plus_bias(exact_matmul(x, weights.T), bias))


def _transposed_real(node: Node, inputs: Arrays) -> np.ndarray:
    x, weights, bias = inputs
    return clamp(transposed_sums(x, weights, node.attrs) + bias, node.attrs.clamp)


def _transposed(graph: Graph, node: Node, inputs: Arrays) -> np.ndarray:
    """The zero point is taken from the input, not folded: how many taps meet varies by position."""
    x, weights, bias = inputs
    centred = x.astype(np.float64) - input_zero(graph, node)
    sums = transposed_sums(centred, weights.astype(np.float64), node.attrs)
    return finish(graph, node, _plus_bias(_integers(sums), bias))


def exact_type(x: np.ndarray, weights: np.ndarray, axes: tuple[int, ...]) -> np.dtype:
    """The float type whose sums of ``x`` times ``weights`` over ``axes`` are exact integers.

    A partial sum, in any order, is at most 128·Σ|w|, of int16 32,768·Σ|w|. float64 holds those
    of 2^31 weights.
    """
    largest = magnitude(x) * int(np.abs(weights.astype(np.int64)).sum(axis=axes).max(initial=0))
    return np.dtype(np.float32 if largest <= _EXACT_FLOAT32 else np.float64)


def exact_matmul(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """int8 or int16 (M, K) times int8 (K, N), exactly; integers that fit int32 if the sums do."""
    kind = exact_type(x, w, (0,))
    return _integers(product(x.astype(kind), w.astype(kind)))


def _integers(sums: np.ndarray) -> np.ndarray:
    """Exact float sums as int32, or int64 where float32 could not hold them."""
    return sums.astype(np.int32 if sums.dtype == np.float32 else np.int64)


def _plus_bias(sums: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """``sums + bias``, in int64 when the two together could leave int32."""
    largest = int(np.abs(bias.astype(np.int64)).max(initial=0))
    wide = sums.dtype == np.int64 or largest + _EXACT_FLOAT32 > INT32_MAX
    rows = sums.reshape(len(sums), -1).astype(np.int64 if wide else np.int32, copy=False)
    np.add(rows, np.tile(bias, rows.shape[1] // len(bias)), out=rows)
    return rows.reshape(sums.shape)


DEFINITIONS: Mapping[str, Definition] = {
    "Conv2d": Definition(_conv2d_real, _conv2d),
    "DepthwiseConv2d": Definition(_depthwise_real, _depthwise),
    "FullyConnected": Definition(_fully_connected_real, _fully_connected),
    "ConvTranspose2d": Definition(_transposed_real, _transposed),
}

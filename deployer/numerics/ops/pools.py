"""Operators that reduce the window of each channel to one number."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from deployer.ir import Graph, Node
from deployer.numerics.convolve import window_max, window_sum
from deployer.numerics.ops.define import Arrays, Definition, clamp, magnitude, with_entries
from deployer.numerics.requant import INT32_MAX
from deployer.numerics.windows import taps_inside


def _average_real(node: Node, inputs: Arrays) -> np.ndarray:
    (x,), attrs = inputs, node.attrs
    total = window_sum(x, attrs.window)
    inside = taps_inside(attrs.window, x.shape[1], x.shape[2])[None, :, :, None]
    count = attrs.window.taps if attrs.count_include_pad else inside
    return clamp((total / count).astype(np.float32), attrs.clamp)


def _average(graph: Graph, node: Node, inputs: Arrays) -> np.ndarray:
    """Entry n - 1 of the requantization tables serves windows with n taps inside."""
    (x,), window = inputs, node.attrs.window
    fits = magnitude(x) * window.taps <= INT32_MAX
    total = window_sum(x.astype(np.int32 if fits else np.int64), window)
    entry = taps_inside(window, x.shape[1], x.shape[2])[None, :, :, None] - 1
    return with_entries(graph, node, total, entry)


def _max_real(node: Node, inputs: Arrays) -> np.ndarray:
    (x,) = inputs
    return clamp(window_max(x, node.attrs.window, -np.inf), node.attrs.clamp)


def _max(graph: Graph, node: Node, inputs: Arrays) -> np.ndarray:
    (x,) = inputs
    best = window_max(x, node.attrs.window, -magnitude(x))
    saturated: np.ndarray = np.clip(best, node.rq.low, node.rq.high)
    return saturated


def _min_real(node: Node, inputs: Arrays) -> np.ndarray:
    (x,) = inputs
    return clamp(-window_max(-x, node.attrs.window, -np.inf), node.attrs.clamp)


def _min(graph: Graph, node: Node, inputs: Arrays) -> np.ndarray:
    (x,) = inputs
    least = -window_max(-x.astype(np.int32), node.attrs.window, -magnitude(x))
    saturated: np.ndarray = np.clip(least, node.rq.low, node.rq.high).astype(x.dtype)
    return saturated


DEFINITIONS: Mapping[str, Definition] = {
    "AveragePool": Definition(_average_real, _average),
    "MaxPool": Definition(_max_real, _max),
    "MinPool": Definition(_min_real, _min),
}

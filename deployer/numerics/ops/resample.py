"""Weighted sums of neighbours along one axis."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from deployer.ir import Graph, Node
from deployer.numerics.ops.define import Arrays, Definition, out_type

RESAMPLE_BITS = 14  # fraction bits of a weight


def _real(node: Node, inputs: Arrays) -> np.ndarray:
    x, weights, starts = inputs
    return _sums(x, weights, starts, node.attrs.axis)


def _integers(graph: Graph, node: Node, inputs: Arrays) -> np.ndarray:
    """Weights add up to 2^14, so that scale and zero point stay; halves are rounded up."""
    x, weights, starts = inputs
    sums = _sums(x.astype(np.int32), weights.astype(np.int32), starts, node.attrs.axis)
    kind = out_type(graph, node)
    ends = np.iinfo(kind)
    rounded = (sums + (1 << (RESAMPLE_BITS - 1))) >> RESAMPLE_BITS
    found: np.ndarray = np.clip(rounded, ends.min, ends.max).astype(kind)
    return found


def _sums(x: np.ndarray, weights: np.ndarray, starts: np.ndarray, axis: int) -> np.ndarray:
    """Output o is the sum of the taps from input ``starts[o]`` on, one after the other."""
    places, shape = starts.astype(np.int64), [1] * x.ndim
    shape[axis] = len(places)
    total = np.zeros((), x.dtype)
    for tap in range(weights.shape[1]):
        total = total + x.take(places + tap, axis=axis) * weights[:, tap].reshape(shape)
    return total


DEFINITIONS: Mapping[str, Definition] = {"Resample": Definition(_real, _integers)}

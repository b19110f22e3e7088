"""Products of two activations, whose sums float BLAS holds exactly: at most 2^53 / 255^2 terms;
and normalizations. The integers: docs/arithmetic.md, Normalizations."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from deployer.ir import Graph, Node
from deployer.numerics.ops.define import Arrays, Definition, clamp, finish

_RECIPROCAL, _RECIPROCAL_SHIFT = (1 << 32) - 1, 14
_PRODUCT_BITS = 62  # fraction bits of a quotient, as a product has them
_MOST_FRACTION, _LEAST_FRACTION = 15, 8
_LARGEST = 1 << 62  # of an epsilon
_INT16 = np.iinfo(np.int16)


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


def fraction_bits(count: int) -> int:
    """Fraction bits of a normalized number among ``count``: none is sqrt(count) or more, so that
    int16 holds it, where count is at most 2^14; beyond, the few that are larger saturate."""
    whole = ((count - 1).bit_length() + 1) // 2
    return max(_LEAST_FRACTION, _MOST_FRACTION - whole)


def integer_epsilon(epsilon: float, count: int, scale: float) -> int:
    """``epsilon`` in units of ``count``² times the variance of integers in steps of ``scale``."""
    return min(round(epsilon * (count / scale) ** 2), _LARGEST)


def norm_count(node: Node, shape: tuple[int, ...]) -> int:
    """How many numbers of an input of ``shape`` are normalized together."""
    if node.op == "LayerNorm":
        return shape[-1]
    elements = int(np.prod(shape[1:]))
    return elements // int(node.attrs.groups)


def _real(node: Node, inputs: Arrays) -> np.ndarray:
    x, scale, offset = inputs
    groups = _grouped(node, x).astype(np.float64)
    centred = groups - groups.mean(axis=_axes(node), keepdims=True)
    variance = (centred**2).mean(axis=_axes(node), keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        normal = np.nan_to_num(centred / np.sqrt(variance + node.attrs.epsilon))
    result = normal.reshape(x.shape).astype(np.float32) * scale + offset
    return clamp(result, node.attrs.clamp)


def _integers(graph: Graph, node: Node, inputs: Arrays) -> np.ndarray:
    x, scale, offset = inputs
    normal = normalized(x, node, graph.values[node.first].q.tensor_scale)
    return finish(graph, node, normal.astype(np.int64) * scale + offset)


def normalized(x: np.ndarray, node: Node, scale: float) -> np.ndarray:
    """``x``, integers in steps of ``scale``, less the mean, over the standard deviation; int16 with
    ``fraction_bits``."""
    groups, axes, count = _grouped(node, x).astype(np.int64), _axes(node), norm_count(node, x.shape)
    total = groups.sum(axis=axes, keepdims=True)
    squares = (groups * groups).sum(axis=axes, keepdims=True)
    variance = count * squares - total * total + integer_epsilon(node.attrs.epsilon, count, scale)
    multiplier, shift = _over_root(variance.astype(np.uint64), fraction_bits(count))
    product = (count * groups - total) * multiplier + (np.int64(1) << (shift - 1))
    normal: np.ndarray = np.clip(product >> shift, _INT16.min, _INT16.max)
    return normal.reshape(x.shape).astype(np.int16)


def _over_root(variance: np.ndarray, fraction: int) -> tuple[np.ndarray, np.ndarray]:
    """The multiplier and the shift that divide by a root: 0 and 1 by that of 0.

    The root is of the 32 bits behind the leading pairs of zeros: 16 bits, of which the first is 1.
    """
    wide, pairs = variance.copy(), np.zeros(variance.shape, np.int64)
    for step in (16, 8, 4, 2, 1):
        small = wide < np.uint64(1) << np.uint64(64 - 2 * step)
        wide = np.where(small, wide << np.uint64(2 * step), wide)
        pairs += step * small
    root = np.sqrt((wide >> np.uint64(32)).astype(np.float64)).astype(np.int64)
    multiplier = _RECIPROCAL // np.maximum(root, 1) << _RECIPROCAL_SHIFT
    none = variance == 0
    return np.where(none, 0, multiplier), np.where(none, 1, _PRODUCT_BITS - fraction - pairs)


def _grouped(node: Node, x: np.ndarray) -> np.ndarray:
    """(1, pixels, groups, channels of a group) or, of a LayerNorm, ``x`` itself."""
    if node.op == "LayerNorm":
        return x
    groups = node.attrs.groups
    return x.reshape(len(x), -1, groups, x.shape[-1] // groups)


def _axes(node: Node) -> tuple[int, ...]:
    """Of ``_grouped``, those that are normalized together."""
    return (-1,) if node.op == "LayerNorm" else (1, 3)


DEFINITIONS: Mapping[str, Definition] = {
    "MatMul": Definition(_matmul_real, _matmul),
    "LayerNorm": Definition(_real, _integers),
    "GroupNorm": Definition(_real, _integers),
}

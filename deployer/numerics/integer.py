"""Integer definition of every operator: what each kernel must compute, bit for bit.

NHWC batches, int8 or int16 as the values of the graph say. Sums of products are taken by float
BLAS in a width that holds them exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from deployer.ir.attrs import Window
from deployer.ir.graph import Graph, Node
from deployer.numerics import rearrange
from deployer.numerics.convolve import (
    convolve,
    depthwise_sum,
    product,
    window_max,
    window_sum,
)
from deployer.numerics.convolve_transposed import transposed_sums
from deployer.numerics.functions import look_up
from deployer.numerics.interpolate import weight_bits, weighted_sum
from deployer.numerics.requant import INT32_MAX, requantize
from deployer.numerics.steps import quantize
from deployer.numerics.windows import taps_inside

Arrays = Sequence[np.ndarray]

_EXACT_FLOAT32 = 2**24
SOFTMAX_BITS = 15


def evaluate(graph: Graph, node: Node, inputs: Arrays) -> np.ndarray:
    """The output of ``node`` for ``inputs``: activations with any batch, then constants."""
    return _OPS[node.op](graph, node, inputs)


def exact_type(x: np.ndarray, weights: np.ndarray, axes: tuple[int, ...]) -> np.dtype:
    """The float type whose sums of ``x`` times ``weights`` over ``axes`` are exact integers.

    A partial sum, in any order, is at most 128·Σ|w|, of int16 32,768·Σ|w|. float64 holds those
    of 2^31 weights.
    """
    largest = _magnitude(x) * int(np.abs(weights.astype(np.int64)).sum(axis=axes).max(initial=0))
    return np.dtype(np.float32 if largest <= _EXACT_FLOAT32 else np.float64)


def _magnitude(x: np.ndarray) -> int:
    """The largest of the type: 128 or 32,768."""
    return -int(np.iinfo(x.dtype).min)


def exact_matmul(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """int8 or int16 (M, K) times int8 (K, N), exactly; integers that fit int32 if the sums do."""
    kind = exact_type(x, w, (0,))
    return _integers(product(x.astype(kind), w.astype(kind)))


def _integers(sums: np.ndarray) -> np.ndarray:
    """Exact float sums as int32, or int64 where float32 could not hold them."""
    return sums.astype(np.int32 if sums.dtype == np.float32 else np.int64)


def conv2d(graph: Graph, node: Node, inputs: Arrays) -> np.ndarray:
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


def depthwise(graph: Graph, node: Node, inputs: Arrays) -> np.ndarray:
    x, weights, bias = inputs
    kind, zero = exact_type(x, weights, (0, 1)), input_zero(graph, node)
    sums = depthwise_sum(x.astype(kind), weights.astype(kind), node.attrs.window, zero)
    return finish(graph, node, _plus_bias(_integers(sums), bias))


def dense(graph: Graph, node: Node, inputs: Arrays) -> np.ndarray:
    x, weights, bias = inputs
    return finish(graph, node, _plus_bias(exact_matmul(x, weights.T), bias))


def _plus_bias(sums: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """``sums + bias``, in int64 when the two together could leave int32."""
    largest = int(np.abs(bias.astype(np.int64)).max(initial=0))
    wide = sums.dtype == np.int64 or largest + _EXACT_FLOAT32 > INT32_MAX
    rows = sums.reshape(len(sums), -1).astype(np.int64 if wide else np.int32, copy=False)
    np.add(rows, np.tile(bias, rows.shape[1] // len(bias)), out=rows)
    return rows.reshape(sums.shape)


def add(graph: Graph, node: Node, inputs: Arrays) -> np.ndarray:
    """``multiplier`` holds two entries, one per input (the second negative in a Sub);
    ``rounding`` and ``shift`` one."""
    ma, mb = graph.constants[node.rq.multiplier].tolist()
    rounding, shift = (int(graph.constants[n][0]) for n in (node.rq.rounding, node.rq.shift))
    if _magnitude(inputs[0]) * (abs(ma) + abs(mb)) + abs(rounding) > INT32_MAX:
        raise OverflowError("an addition leaves int32: the range analysis was wrong")
    total = inputs[0].astype(np.int32) * np.int32(ma)
    total += inputs[1].astype(np.int32) * np.int32(mb)
    total += np.int32(rounding)
    total >>= shift
    return np.clip(total, node.rq.low, node.rq.high, out=total).astype(_out_type(graph, node))


def average_pool(graph: Graph, node: Node, inputs: Arrays) -> np.ndarray:
    """Entry n - 1 of the requantization tables serves windows with n taps inside."""
    (x,), window = inputs, node.attrs.window
    fits = _magnitude(x) * window.taps <= INT32_MAX
    total = window_sum(x.astype(np.int32 if fits else np.int64), window)
    entry = taps_inside(window, x.shape[1], x.shape[2])[None, :, :, None] - 1
    return _with_entries(graph, node, total, entry)


def max_pool(graph: Graph, node: Node, inputs: Arrays) -> np.ndarray:
    (x,) = inputs
    best = window_max(x, node.attrs.window, -_magnitude(x))
    return np.clip(best, node.rq.low, node.rq.high)


def rescale(graph: Graph, node: Node, inputs: Arrays) -> np.ndarray:
    (x,) = inputs
    return finish(graph, node, x.astype(np.int32))


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
    (x,) = inputs
    return x.reshape(len(x), *node.attrs.shape[1:])


def transpose(graph: Graph, node: Node, inputs: Arrays) -> np.ndarray:
    (x,) = inputs
    return x.transpose(node.attrs.perm)


def conv_transpose(graph: Graph, node: Node, inputs: Arrays) -> np.ndarray:
    """The zero point is taken from the input, not folded: how many taps meet varies by position."""
    x, weights, bias = inputs
    centred = x.astype(np.float64) - input_zero(graph, node)
    sums = transposed_sums(centred, weights.astype(np.float64), node.attrs)
    return finish(graph, node, _plus_bias(_integers(sums), bias))


def mul(graph: Graph, node: Node, inputs: Arrays) -> np.ndarray:
    left, right = (
        x.astype(np.int32) - graph.values[name].q.zero_point
        for x, name in zip(inputs, node.inputs, strict=True)
    )
    return finish(graph, node, left * right)


def prelu(graph: Graph, node: Node, inputs: Arrays) -> np.ndarray:
    """Entry 0 of the tables serves values from the zero point up, entry 1 + c those below it."""
    (x,) = inputs
    centred = x.astype(np.int32) - input_zero(graph, node)
    entry = np.where(centred < 0, 1 + np.arange(centred.shape[-1]), 0)
    return _with_entries(graph, node, centred, entry)


def concat(graph: Graph, node: Node, inputs: Arrays) -> np.ndarray:
    """Entry i of the tables brings input i to the output's scale."""
    parts = [_with_entries(graph, node, x, slice(i, i + 1)) for i, x in enumerate(inputs)]
    return rearrange.concat(parts, node.attrs.axis)


def pad(graph: Graph, node: Node, inputs: Arrays) -> np.ndarray:
    (x,) = inputs
    return rearrange.pad(x, node.attrs, pad_value(graph, node))


def pad_value(graph: Graph, node: Node) -> int:
    """The integer of a Pad's value in the tensor's quantization."""
    return int(quantize(node.attrs.value, graph.values[node.output].q))


def resize(graph: Graph, node: Node, inputs: Arrays) -> np.ndarray:
    """Linear: the sum of four weighted neighbours, rounded half up. Scale and zero point stay."""
    (x,), attrs = inputs, node.attrs
    if attrs.mode == "nearest":
        return rearrange.enlarge(x, attrs)
    bits = weight_bits(attrs)
    if (_magnitude(x) << bits) - (1 << (bits - 1)) > INT32_MAX + 1:
        raise OverflowError(f"a resize by {attrs.factors} leaves int32")
    return ((weighted_sum(x.astype(np.int32), attrs) + (1 << (bits - 1))) >> bits).astype(x.dtype)


def input_zero(graph: Graph, node: Node) -> int:
    """Zero point of the node's first input."""
    return graph.values[node.inputs[0]].q.zero_point


def finish(graph: Graph, node: Node, acc: np.ndarray) -> np.ndarray:
    """``acc``, sums of the node's products and its bias, requantized."""
    return _with_entries(graph, node, acc, slice(None))


def _with_entries(
    graph: Graph, node: Node, acc: np.ndarray, entries: np.ndarray | slice
) -> np.ndarray:
    """``acc`` requantized to the output's type by those entries of the node's tables."""
    rq, kind = node.rq, _out_type(graph, node)
    tables = (graph.constants[name][entries] for name in (rq.multiplier, rq.rounding, rq.shift))
    return requantize(acc, rq.rule, *tables, low=rq.low, high=rq.high, dtype=kind)


def _out_type(graph: Graph, node: Node) -> np.dtype:
    return graph.values[node.output].dtype.numpy


_OPS: dict[str, Callable[[Graph, Node, Arrays], np.ndarray]] = {
    "Conv2d": conv2d,
    "DepthwiseConv2d": depthwise,
    "FullyConnected": dense,
    "ConvTranspose2d": conv_transpose,
    "Add": add,
    "Sub": add,
    "Mul": mul,
    "PRelu": prelu,
    "Table": lambda graph, node, inputs: look_up(inputs[1], inputs[0]),
    "Concat": concat,
    "Slice": lambda graph, node, inputs: rearrange.crop(inputs[0], node.attrs),
    "Pad": pad,
    "Resize": resize,
    "DepthToSpace": lambda graph, node, inputs: rearrange.depth_to_space(inputs[0], node.attrs),
    "SpaceToDepth": lambda graph, node, inputs: rearrange.space_to_depth(inputs[0], node.attrs),
    "AveragePool": average_pool,
    "MaxPool": max_pool,
    "Rescale": rescale,
    "Softmax": softmax,
    "Reshape": reshape,
    "Transpose": transpose,
}

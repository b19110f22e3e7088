"""Layers of an integer graph as jobs for CMSIS-NN: shapes, seeded data, outputs to expect."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from deployer.errors import BenchError
from deployer.ir import OPS, Graph, Node, RequantRule, Window
from deployer.kernelset import case_of, families
from deployer.numerics import (
    convolve,
    depthwise_sum,
    mean,
    taps_inside,
    transposed_sums,
    window_max,
    window_sum,
)
from deployer.tools.bench.cmsis_nn_arithmetic import (
    ROUNDINGS,
    requantize,
    requantize_reduced,
    split,
)

Arrays = dict[str, np.ndarray]

# the order of programs/cmsis_nn.c
KINDS = (
    *("Conv2d", "DepthwiseConv2d", "FullyConnected", "Add", "AveragePool", "MaxPool"),
    *("Mul", "ConvTranspose2d"),
)
_FAMILY = "cmsis_nn"  # of kernels: its entries state what the library computes
MAGIC, PASSES = 0x4E4E4D43, 2
BUFFER_BYTES, BLOB_BYTES = 0x80000, 0xC00000
_LARGEST = 0.9  # factor of a requantization
_ADD_FACTORS = 0.4, 0.45, 0.9
_HEAD_WORDS, _JOB_WORDS = 3, 30
_SUM_LIMIT = 1 << 30  # of the library's sums of products of int16, which are int32
_WIDE = ("Conv2d", "DepthwiseConv2d", "FullyConnected", "Add", "AveragePool", "MaxPool", "Mul")


@dataclass(frozen=True)
class Width:
    """Integers of activations: zero points (the input's negated), bounds, the standard deviation of
    outputs in steps, by how many bits an Add shifts its inputs to the left."""

    dtype: type[np.signedinteger[Any]]
    offset_in: int
    offset_out: int
    low: int
    high: int
    spread: float
    left: int


_WIDTHS = {
    8: Width(np.int8, 3, -5, -128, 127, 40.0, 20),
    16: Width(np.int16, 0, 0, -32768, 32767, 10000.0, 15),
}


@dataclass(frozen=True, eq=False)
class Job:
    """``numbers``: the job's words up to its bytes, but for its side. ``arrays``: what its offsets
    lead to. ``crc``: of the expected output, by rounding."""

    numbers: tuple[int, ...]
    arrays: Mapping[str, np.ndarray]
    output_bytes: int
    crc: Mapping[str, int]


_OFFSETS = ("input", "second", "weights", "bias", "multipliers", "shifts")


def supported(graph: Graph, node: Node) -> bool:
    """Whether the library computes the node, and the app calls it."""
    bits = {graph.values[name].q.bits for name in (*graph.activations(node), node.output)}
    if bits not in ({8}, {16}) or node.op not in (KINDS if bits == {8} else _WIDE):
        return False
    if node.op == "AveragePool" and (node.attrs.count_include_pad or node.attrs.window.pads.any):
        return False
    if node.op == "Conv2d" and bits == {16} and node.attrs.groups > 1:
        return False
    rule = RequantRule.MEAN if node.op == "AveragePool" else RequantRule.Q31
    case = replace(case_of(graph, node), rule=rule, act="s8")  # int16 has the same limits
    return any(kernel.takes(case) for kernel in families()[_FAMILY])


def job_of(graph: Graph, node: Node, seed: int) -> Job:
    """The node's shapes and weights with seeded inputs, biases and factors. Raises BenchError when
    a tensor is too large for the app's buffers."""
    rng = np.random.default_rng(seed)
    shapes = [_image(shape) for shape in graph.shapes(graph.activations(node))]
    output = graph.values[node.output]
    bits, target = output.q.bits, _image(output.shape)
    width, item = _WIDTHS[bits], bits // 8
    if max(item * int(np.prod(shape)) for shape in (*shapes, target)) > BUFFER_BYTES:
        raise BenchError(f"{node.name} is too large to be compared: over {BUFFER_BYTES:,} B")
    weights = [graph.constants[name] for name in node.inputs if name in graph.constants][:1]
    high = _most(node, width, weights)
    inputs = [rng.integers(-1 - high, high + 1, shape, dtype=width.dtype) for shape in shapes]
    arrays, outputs = _compute(node, width, inputs, weights, rng)
    window = getattr(node.attrs, "window", Window((1, 1)))
    pads = window.pads
    numbers = (
        *(*shapes[0][1:], *target[1:]),
        *(*window.kernel, *window.stride, *window.dilation, pads.top, pads.left),
        *(node.attrs.groups if node.op == "Conv2d" else 1, bits),
        *(width.offset_in, width.offset_out, width.low, width.high),
    )
    named = dict(zip(("input", "second"), inputs, strict=False))
    return Job(
        numbers=(KINDS.index(node.op), *numbers),
        arrays={**named, **arrays},
        output_bytes=item * int(np.prod(target)),
        crc={name: zlib.crc32(found.tobytes()) for name, found in outputs.items()},
    )


def _most(node: Node, width: Width, weights: Sequence[np.ndarray]) -> int:
    """The largest input of which no sum of products leaves int32."""
    if width.dtype is np.int8 or not weights:
        return width.high
    products = weights[0].size // int(weights[0].shape[OPS[node.op].channel_axis or 0])
    return min(width.high, _SUM_LIMIT // (products * 128))


def _image(shape: tuple[int, ...]) -> tuple[int, ...]:
    """NC as NHWC."""
    return shape if len(shape) == 4 else (1, 1, 1, shape[-1])


def _compute(
    node: Node,
    width: Width,
    inputs: Sequence[np.ndarray],
    weights: Sequence[np.ndarray],
    rng: np.random.Generator,
) -> tuple[Arrays, Arrays]:
    """Constants to hand over, and the output by rounding."""
    if node.op == "Add":
        return _add(width, inputs)
    if node.op == "Mul":
        return _mul(width, inputs)
    if node.op in ("AveragePool", "MaxPool"):
        pooled = _pool(node.op, width, inputs[0], node.attrs.window)
        return {}, dict.fromkeys(ROUNDINGS, pooled)
    return _linear(node, width, inputs[0], weights[0], rng)


def _linear(
    node: Node, width: Width, x: np.ndarray, weights: np.ndarray, rng: np.random.Generator
) -> tuple[Arrays, Arrays]:
    plain = _sums(node, x.astype(np.float64) + width.offset_in, weights.astype(np.float64))
    bias = rng.integers(-2000, 2000, plain.shape[-1:], dtype=np.int32)
    sums: np.ndarray = plain + bias
    whole = node.op == "FullyConnected"  # one factor for all outputs
    spread = np.array([sums.std()]) if whole else np.array(sums.std(axis=(0, 1, 2)))
    factors = np.clip(width.spread / np.maximum(spread, 1.0), 2.0**-20, _LARGEST)
    multipliers, shifts = split(factors)
    arrays: Arrays = {"weights": weights, "multipliers": multipliers, "shifts": shifts}
    reduced = width.dtype is np.int16 and node.op != "Conv2d"
    arrays["bias"] = bias.astype(np.int64) if reduced else bias
    found = {
        name: requantize_reduced(sums, multipliers, shifts)
        if reduced
        else requantize(sums, multipliers, shifts, name)
        for name in ROUNDINGS
    }
    return arrays, {name: _output(width, values) for name, values in found.items()}


def _sums(node: Node, x: np.ndarray, kernel: np.ndarray) -> np.ndarray:
    """Exact int64 sums of products; padding counts nothing."""
    if node.op == "FullyConnected":
        sums = x.reshape(1, 1, 1, -1) @ kernel.T
    elif node.op == "DepthwiseConv2d":
        sums = depthwise_sum(x, kernel, node.attrs.window, 0.0)
    elif node.op == "ConvTranspose2d":
        sums = transposed_sums(x, kernel, node.attrs)
    else:
        sums = convolve(x, kernel, node.attrs.window, groups=node.attrs.groups, fill=0.0)
    integers: np.ndarray = sums.astype(np.int64)
    return integers


def _pool(op: str, width: Width, x: np.ndarray, window: Window) -> np.ndarray:
    if op == "MaxPool":
        return window_max(x, window, width.low)
    count = taps_inside(window, x.shape[1], x.shape[2])[None, :, :, None]
    found = mean(window_sum(x.astype(np.int64), window), count)
    averages: np.ndarray = np.clip(found, width.low, width.high).astype(width.dtype)
    return averages


def _add(width: Width, inputs: Sequence[np.ndarray]) -> tuple[Arrays, Arrays]:
    factors = np.array([*_ADD_FACTORS[:2], _ADD_FACTORS[2] * 2.0**-width.left])
    multipliers, shifts = split(factors)
    found = {}
    for name in ROUNDINGS:
        first, second = (
            requantize((x.astype(np.int64) + width.offset_in) << width.left, m, s, name)
            for x, m, s in zip(inputs, multipliers[:2], shifts[:2], strict=True)
        )
        total = requantize(first + second, multipliers[2], shifts[2], name)
        found[name] = _output(width, total)
    return {"multipliers": multipliers, "shifts": shifts}, found


def _mul(width: Width, inputs: Sequence[np.ndarray]) -> tuple[Arrays, Arrays]:
    first, second = (x.astype(np.int64) + width.offset_in for x in inputs)
    products = first * second
    factor = np.array([min(width.spread / max(float(products.std()), 1.0), _LARGEST)])
    multipliers, shifts = split(factor)
    found = {
        name: _output(width, requantize(products, multipliers, shifts, name)) for name in ROUNDINGS
    }
    return {"multipliers": multipliers, "shifts": shifts}, found


def _output(width: Width, values: np.ndarray) -> np.ndarray:
    saturated = np.clip(values + width.offset_out, width.low, width.high)
    integers: np.ndarray = saturated.astype(width.dtype)
    return integers


def blob_of(jobs: Sequence[Job]) -> bytes:
    """What programs/cmsis_nn.c reads. Raises BenchError when it would overlap the buffers."""
    words: list[int] = [MAGIC, PASSES, len(jobs)]
    data = bytearray()
    start = 4 * (_HEAD_WORDS + _JOB_WORDS * len(jobs))
    for index, job in enumerate(jobs):
        offsets = {}
        for name, array in job.arrays.items():
            data += bytes(-(start + len(data)) % 32)
            offsets[name] = start + len(data)
            data += array.tobytes()
        kind, *rest = job.numbers
        bytes_of = (job.arrays["input"].nbytes, job.output_bytes)
        words += [kind, index % 2, *rest, *bytes_of, *(offsets.get(name, 0) for name in _OFFSETS)]
    packed = struct.pack(f"<{len(words)}I", *(word & 0xFFFFFFFF for word in words)) + data
    if len(packed) > BLOB_BYTES:
        raise BenchError(f"the network is too large to be compared: {len(packed):,} B of data")
    return packed

"""Layers of an integer graph as jobs for CMSIS-NN: shapes, seeded data, outputs to expect."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from deployer.errors import BenchError
from deployer.ir import Graph, Node, RequantRule, Window
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
from deployer.tools.bench.cmsis_nn_arithmetic import ROUNDINGS, requantize, split

Arrays = dict[str, np.ndarray]

# the order of programs/cmsis_nn.c
KINDS = (
    *("Conv2d", "DepthwiseConv2d", "FullyConnected", "Add", "AveragePool", "MaxPool"),
    *("Mul", "ConvTranspose2d"),
)
_FAMILY = "cmsis_nn"  # of kernels: its entries state what the library computes
MAGIC, PASSES = 0x4E4E4D43, 2
BUFFER_BYTES, BLOB_BYTES = 0x80000, 0xC00000
_OFFSET_IN, _OFFSET_OUT, _LOW, _HIGH = 3, -5, -128, 127
_SPREAD_STEPS = 40.0  # of the outputs, in steps
_LARGEST = 0.9  # factor of a requantization
_ADD_FACTORS, _LEFT = (0.4, 0.45, 0.9), 20
_HEAD_WORDS, _JOB_WORDS = 3, 29


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
    """Whether the library computes the node for int8, and the app calls it."""
    bits = {graph.values[name].q.bits for name in (*graph.activations(node), node.output)}
    if node.op not in KINDS or bits != {8}:
        return False
    if node.op == "AveragePool" and (node.attrs.count_include_pad or node.attrs.window.pads.any):
        return False
    rule = RequantRule.MEAN if node.op == "AveragePool" else RequantRule.Q31
    case = replace(case_of(graph, node), rule=rule)
    return any(kernel.takes(case) for kernel in families()[_FAMILY])


def job_of(graph: Graph, node: Node, seed: int) -> Job:
    """The node's shapes and weights with seeded inputs, biases and factors. Raises BenchError when
    a tensor is too large for the app's buffers."""
    rng = np.random.default_rng(seed)
    shapes = [_image(shape) for shape in graph.shapes(graph.activations(node))]
    target = _image(graph.values[node.output].shape)
    if max(int(np.prod(shape)) for shape in (*shapes, target)) > BUFFER_BYTES:
        raise BenchError(f"{node.name} is too large to be compared: over {BUFFER_BYTES:,} B")
    inputs = [rng.integers(-128, 128, shape, dtype=np.int8) for shape in shapes]
    weights = [graph.constants[name] for name in node.inputs if name in graph.constants][:1]
    arrays, outputs = _compute(node, inputs, weights, rng)
    window = getattr(node.attrs, "window", Window((1, 1)))
    pads = window.pads
    numbers = (
        *(*shapes[0][1:], *target[1:]),
        *(*window.kernel, *window.stride, *window.dilation, pads.top, pads.left),
        node.attrs.groups if node.op == "Conv2d" else 1,
        *(_OFFSET_IN, _OFFSET_OUT, _LOW, _HIGH),
    )
    named = dict(zip(("input", "second"), inputs, strict=False))
    return Job(
        numbers=(KINDS.index(node.op), *numbers),
        arrays={**named, **arrays},
        output_bytes=int(np.prod(target)),
        crc={name: zlib.crc32(found.tobytes()) for name, found in outputs.items()},
    )


def _image(shape: tuple[int, ...]) -> tuple[int, ...]:
    """NC as NHWC."""
    return shape if len(shape) == 4 else (1, 1, 1, shape[-1])


def _compute(
    node: Node,
    inputs: Sequence[np.ndarray],
    weights: Sequence[np.ndarray],
    rng: np.random.Generator,
) -> tuple[Arrays, Arrays]:
    """Constants to hand over, and the output by rounding."""
    if node.op == "Add":
        return _add(inputs)
    if node.op == "Mul":
        return _mul(inputs)
    if node.op in ("AveragePool", "MaxPool"):
        pooled = _pool(node.op, inputs[0], node.attrs.window)
        return {}, dict.fromkeys(ROUNDINGS, pooled)
    plain = _sums(node, inputs[0], weights[0])
    bias = rng.integers(-2000, 2000, plain.shape[-1]).astype(np.int32)
    sums: np.ndarray = plain + bias
    whole = node.op == "FullyConnected"  # one factor for all outputs
    spread = np.array([sums.std()]) if whole else np.array(sums.std(axis=(0, 1, 2)))
    factors = np.clip(_SPREAD_STEPS / np.maximum(spread, 1.0), 2.0**-20, _LARGEST)
    multipliers, shifts = split(factors)
    arrays: Arrays = {"weights": weights[0], "multipliers": multipliers, "shifts": shifts}
    arrays["bias"] = np.asarray(bias)
    found = {name: requantize(sums, multipliers, shifts, name) for name in ROUNDINGS}
    return arrays, {name: _output(values) for name, values in found.items()}


def _sums(node: Node, x: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Exact int64 sums of products; padding counts nothing."""
    wide, kernel = x.astype(np.float64) + _OFFSET_IN, weights.astype(np.float64)
    if node.op == "FullyConnected":
        sums = wide.reshape(1, 1, 1, -1) @ kernel.T
    elif node.op == "DepthwiseConv2d":
        sums = depthwise_sum(wide, kernel, node.attrs.window, 0.0)
    elif node.op == "ConvTranspose2d":
        sums = transposed_sums(wide, kernel, node.attrs)
    else:
        sums = convolve(wide, kernel, node.attrs.window, groups=node.attrs.groups, fill=0.0)
    return sums.astype(np.int64)


def _pool(op: str, x: np.ndarray, window: Window) -> np.ndarray:
    if op == "MaxPool":
        return window_max(x, window, -128)
    count = taps_inside(window, x.shape[1], x.shape[2])[None, :, :, None]
    found = mean(window_sum(x.astype(np.int64), window), count)
    averages: np.ndarray = np.clip(found, _LOW, _HIGH).astype(np.int8)
    return averages


def _add(inputs: Sequence[np.ndarray]) -> tuple[Arrays, Arrays]:
    factors = np.array([*_ADD_FACTORS[:2], _ADD_FACTORS[2] * 2.0**-_LEFT])
    multipliers, shifts = split(factors)
    found = {}
    for name in ROUNDINGS:
        first, second = (
            requantize((x.astype(np.int64) + _OFFSET_IN) << _LEFT, m, s, name)
            for x, m, s in zip(inputs, multipliers[:2], shifts[:2], strict=True)
        )
        found[name] = _output(requantize(first + second, multipliers[2], shifts[2], name))
    return {"multipliers": multipliers, "shifts": shifts}, found


def _mul(inputs: Sequence[np.ndarray]) -> tuple[Arrays, Arrays]:
    first, second = (x.astype(np.int64) + _OFFSET_IN for x in inputs)
    products = first * second
    factor = np.array([min(_SPREAD_STEPS / max(float(products.std()), 1.0), _LARGEST)])
    multipliers, shifts = split(factor)
    found = {name: _output(requantize(products, multipliers, shifts, name)) for name in ROUNDINGS}
    return {"multipliers": multipliers, "shifts": shifts}, found


def _output(values: np.ndarray) -> np.ndarray:
    saturated: np.ndarray = np.clip(values + _OFFSET_OUT, _LOW, _HIGH).astype(np.int8)
    return saturated


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

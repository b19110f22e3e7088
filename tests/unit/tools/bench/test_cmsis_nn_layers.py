"""The layers handed to CMSIS-NN: read back from their bytes as the app reads them, and computed by
the definition in plain integers."""

from __future__ import annotations

import struct
import zlib
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import floor
from typing import Any

import numpy as np
import pytest

from deployer.errors import BenchError
from deployer.ir.attrs import ConvAttrs, Pads, PointAttrs, PoolAttrs, Window
from deployer.ir.graph import Graph, Node
from deployer.ir.types import DType, QuantParams
from deployer.tools.bench import cmsis_nn_jobs
from deployer.tools.bench.cmsis_nn_jobs import KINDS, Job, blob_of, job_of, supported
from unit.ir.nets import Net

FIELDS = (
    *("kind", "side", "in_h", "in_w", "in_c", "out_h", "out_w", "out_c", "kernel_h", "kernel_w"),
    *("stride_h", "stride_w", "dilation_h", "dilation_w", "top", "left", "groups", "bits"),
    *("in_offset", "out_offset"),
    *("low", "high", "in_bytes", "out_bytes", "input", "second", "weights", "bias"),
    *("multipliers", "shifts"),
)


def layers() -> Graph:
    """Every operator the library has, small."""
    net = Net("layers")
    rng = np.random.default_rng(1)
    x = net.conv(net.input(1, 5, 6, 3), 4, (3, 2), stride=2, name="conv")
    x = net.depthwise(x, 3, name="depthwise")
    x = net.conv(x, 6, 3, groups=2, name="grouped")
    x = net.mul(x, x, name="product")
    x = net.up(x, 4, 3, 2, name="up")
    x = net.conv(x, 4, (3, 2), stride=2, name="down")
    x = net.add(x, x, name="sum")
    x = net.pool(x, "MaxPool", (2, 2), name="largest")
    x = net.pool(x, "AveragePool", name="mean")
    net.dense(net.reshape(x), 5, name="dense")
    for name, array in net.constants.items():
        if name.endswith("_w"):
            net.constants[name] = rng.integers(-127, 128, array.shape).astype(np.int8)
    return net.graph("dense_out")


GRAPH = layers()
NODES = {node.name: node for node in GRAPH.nodes}
NARROW = ("conv", "depthwise", "sum", "largest", "mean", "dense", "product")  # for int16 too
NAMES = ("conv", "depthwise", "sum", "largest", "mean", "dense", "grouped", "product", "up")


def dilated(graph: Graph) -> tuple[Graph, Node]:
    """A convolution of its own window: dilated, with pads at the top and left alone."""
    window = Window((2, 2), (1, 2), (2, 1), Pads(1, 1, 0, 0))
    node = replace(NODES["conv"], attrs=ConvAttrs(window))
    weights = np.random.default_rng(2).integers(-127, 128, (4, 2, 2, 3)).astype(np.int8)
    shape = (1, 4, 3, 4)
    values = {
        **graph.values,
        "conv_w": replace(graph.values["conv_w"], shape=weights.shape),
        "conv_out": replace(graph.values["conv_out"], shape=shape),
    }
    return replace(graph, values=values, constants={**graph.constants, "conv_w": weights}), node


def head(blob: bytes, index: int) -> dict[str, int]:
    """Of one job, as the app's struct has it."""
    return dict(zip(FIELDS, struct.unpack_from("<30i", blob, 12 + 120 * index), strict=True))


def scaled(acc: int, multiplier: int, shift: int, rounding: str) -> int:
    if rounding == "reduced":  # the multiplier to the nearest of 16 bits
        upper = min(floor(Fraction(multiplier, 2**16) + Fraction(1, 2)), 0x7FFF)
        return floor(Fraction(acc * upper, 2 ** (15 - shift)) + Fraction(1, 2))
    if rounding == "single":
        return floor(Fraction(acc * multiplier, 2 ** (31 - shift)) + Fraction(1, 2))
    once = floor(Fraction(acc * multiplier, 2**31) + Fraction(1, 2))
    nearest = floor(abs(Fraction(once, 2**-shift)) + Fraction(1, 2))
    return nearest if once >= 0 else -nearest


class Read:
    """A job's arrays in the blob."""

    def __init__(self, blob: bytes, index: int) -> None:
        self.blob, self.head = blob, head(blob, index)

    def __getattr__(self, name: str) -> int:
        return self.head[name]

    @property
    def act(self) -> type:
        return np.int8 if self.bits == 8 else np.int16

    def array(self, name: str, shape: tuple[int, ...], kind: type = np.int8) -> np.ndarray:
        offset = self.head[name]
        assert offset % 32 == 0
        count = int(np.prod(shape))
        return np.frombuffer(self.blob, kind, count, offset).reshape(shape).astype(np.int64)

    def requantized(self, sums: np.ndarray, rounding: str) -> np.ndarray:
        whole = KINDS[self.kind] == "FullyConnected"
        entries = (1 if whole else self.out_c,)
        factors = (self.array(name, entries, np.int32) for name in ("multipliers", "shifts"))
        pairs = [np.broadcast_to(each, self.out_c).tolist() for each in factors]
        found = np.empty_like(sums)
        for index in np.ndindex(sums.shape):
            m, s = (each[index[-1]] for each in pairs)
            found[index] = scaled(int(sums[index]), m, s, rounding)
        return np.clip(found + self.out_offset, self.low, self.high)

    def taps(self, y: int, x: int) -> list[tuple[int, int, int, int]]:
        """Row and column of the kernel and of the input, where that has them."""
        found = []
        for i, j in product(range(self.kernel_h), range(self.kernel_w)):
            row = y * self.stride_h - self.top + i * self.dilation_h
            column = x * self.stride_w - self.left + j * self.dilation_w
            if 0 <= row < self.in_h and 0 <= column < self.in_w:
                found.append((i, j, row, column))
        return found

    def met(self, y: int, x: int) -> list[tuple[int, int, int, int]]:
        """The same of a transposed convolution: the inputs whose windows reach the output."""
        found = []
        for i, j in product(range(self.kernel_h), range(self.kernel_w)):
            row, below = divmod(y + self.top - i, self.stride_h)
            column, beside = divmod(x + self.left - j, self.stride_w)
            if below == beside == 0 and 0 <= row < self.in_h and 0 <= column < self.in_w:
                found.append((i, j, row, column))
        return found

    def output(self, rounding: str) -> np.ndarray:
        x = self.array("input", (self.in_h, self.in_w, self.in_c), self.act)
        op = KINDS[self.kind]
        if op == "Add":
            return self._sum(x, rounding)
        if op == "Mul":
            return self._product(x, rounding)
        result = np.zeros((self.out_h, self.out_w, self.out_c), np.int64)
        for y, column in product(range(self.out_h), range(self.out_w)):
            taps = self.met if op == "ConvTranspose2d" else self.taps
            result[y, column] = self._at(op, x, taps(y, column))
        if op in ("AveragePool", "MaxPool"):
            return result
        reduced = self.bits == 16 and op != "Conv2d"
        bias = self.array("bias", (self.out_c,), np.int64 if reduced else np.int32)
        return self.requantized(result + bias, "reduced" if reduced else rounding)

    def _at(self, op: str, x: np.ndarray, taps: list[tuple[int, int, int, int]]) -> np.ndarray:
        tall, wide = self.kernel_h, self.kernel_w
        if op in ("AveragePool", "MaxPool"):
            inside = np.array([x[row, column] for _, _, row, column in taps])
            if op == "MaxPool":
                return inside.max(axis=0)
            mean = [Fraction(int(total), len(taps)) for total in inside.sum(axis=0)]
            away = [floor(abs(m) + Fraction(1, 2)) * (1 if m > 0 else -1) for m in mean]
            return np.array(away)
        x = x + self.in_offset
        if op == "DepthwiseConv2d":
            weights = self.array("weights", (tall, wide, self.out_c))
            return sum((x[r, c] * weights[i, j] for i, j, r, c in taps), np.zeros(self.out_c, int))
        depth, outputs = self.in_c // self.groups, self.out_c // self.groups
        weights = self.array("weights", (self.out_c, tall, wide, depth))
        found = np.zeros(self.out_c, int)
        for o in range(self.out_c):
            own = slice(o // outputs * depth, (o // outputs + 1) * depth)
            found[o] = sum(int(weights[o, i, j] @ x[r, c, own]) for i, j, r, c in taps)
        return found

    def _sum(self, x: np.ndarray, rounding: str) -> np.ndarray:
        second = self.array("second", x.shape, self.act)
        m, s = (self.array(name, (3,), np.int32).tolist() for name in ("multipliers", "shifts"))
        found = np.empty_like(x)
        left = 20 if self.bits == 8 else 15
        for index in np.ndindex(x.shape):
            parts = [int(each[index]) + self.in_offset << left for each in (x, second)]
            total = sum(scaled(p, m[i], s[i], rounding) for i, p in enumerate(parts))
            found[index] = scaled(total, m[2], s[2], rounding)
        return np.clip(found + self.out_offset, self.low, self.high)

    def _product(self, x: np.ndarray, rounding: str) -> np.ndarray:
        second = self.array("second", x.shape, self.act)
        m, s = (int(self.array(name, (1,), np.int32)[0]) for name in ("multipliers", "shifts"))
        products = (x + self.in_offset) * (second + self.in_offset)
        found = [scaled(int(each), m, s, rounding) for each in products.ravel()]
        return np.clip(np.array(found).reshape(x.shape) + self.out_offset, self.low, self.high)


@pytest.mark.parametrize("rounding", ["single", "double"])
def test_the_output_expected_of_a_layer_is_the_definition_s(rounding: str) -> None:
    jobs = [job_of(GRAPH, NODES[name], seed) for seed, name in enumerate(NAMES)]
    jobs.append(job_of(*dilated(GRAPH), 9))
    blob = blob_of(jobs)
    assert struct.unpack_from("<3I", blob) == (0x4E4E4D43, 2, len(jobs))
    for index, job in enumerate(jobs):
        read = Read(blob, index)
        found = read.output(rounding).astype(np.int8)
        assert read.out_bytes == found.size
        assert zlib.crc32(found.tobytes()) == job.crc[rounding], index


def wide(graph: Graph) -> Graph:
    """With activations of int16."""
    quant = QuantParams((0.5,), bits=16)
    values = {
        name: replace(value, quant=quant, dtype=DType.S16) if value.quant else value
        for name, value in graph.values.items()
    }
    return replace(graph, values=values)


@pytest.mark.parametrize("rounding", ["single", "double"])
@pytest.mark.parametrize("name", NARROW)
def test_the_output_expected_of_int16_is_the_definition_s(name: str, rounding: str) -> None:
    job = job_of(wide(GRAPH), NODES[name], 5)
    read = Read(blob_of([job]), 0)
    found = read.output(rounding).astype(np.int16)
    assert (read.bits, read.in_offset, read.out_offset) == (16, 0, 0)
    assert (read.low, read.high) == (-32768, 32767)
    assert read.out_bytes == 2 * found.size
    assert zlib.crc32(found.tobytes()) == job.crc[rounding]
    assert found.std() > 300


def test_sums_of_products_of_int16_stay_in_int32() -> None:
    """The library adds them up in one register."""
    net = Net("deep")
    net.dense(net.input(1, 4096), 3, name="dense")
    job = job_of(wide(net.graph("dense_out")), net.nodes[0], 1)
    x = job.arrays["input"].astype(np.int64)
    assert 128 * np.abs(x).sum() < 2**31
    assert np.abs(x).max() > 1000


def test_layers_lie_in_turn_in_one_buffer_and_the_other() -> None:
    jobs = [job_of(GRAPH, NODES[name], 3) for name in NAMES]
    reads = [Read(blob_of(jobs), index) for index in range(len(jobs))]
    assert [read.side for read in reads] == [0, 1, 0, 1, 0, 1, 0, 1, 0]
    assert [KINDS[read.kind] for read in reads] == [NODES[name].op for name in NAMES]
    assert [read.in_bytes for read in reads] == [90, 36, 36, 36, 4, 4, 36, 54, 54]
    assert [(read.in_offset, read.out_offset, read.low, read.high) for read in reads] == [
        (3, -5, -128, 127)
    ] * 9


def test_what_a_layer_has_not_lies_nowhere() -> None:
    pooled = Read(blob_of([job_of(GRAPH, NODES["mean"], 0)]), 0)
    parts = ("second", "weights", "bias", "multipliers", "shifts")
    assert [pooled.head[name] for name in parts] == [0] * 5
    summed = Read(blob_of([job_of(GRAPH, NODES["sum"], 0)]), 0)
    assert (summed.head["weights"], summed.head["bias"]) == (0, 0)
    assert summed.second == summed.input + 64  # 36 B, rounded up to 32


@pytest.mark.parametrize("name", ["conv", "depthwise", "dense", "sum", "grouped", "product", "up"])
def test_outputs_spread_over_the_type_without_saturating(name: str) -> None:
    found = Read(blob_of([job_of(GRAPH, NODES[name], 4)]), 0).output("single")
    assert 25 < found.std() < 60
    assert np.mean((found == -128) | (found == 127)) < 0.1


def test_a_seed_decides_the_data() -> None:
    first, again, other = (job_of(GRAPH, NODES["conv"], seed) for seed in (1, 1, 2))
    assert first.crc == again.crc
    assert first.crc["single"] != other.crc["single"]
    biases = first.arrays["bias"]
    assert np.abs(biases).max() <= 2000
    assert len(np.unique(biases)) > 1


POOLED = NODES["mean"]
RIGHT = Window((3, 3), pads=Pads(1, 0, 1, 2))  # the library's 3x3 always reads the middle column
OUTSIDE = Window((2, 2), pads=Pads(2, 0, 0, 0))  # some windows have no tap inside
PADDED = Window((2, 2), pads=Pads(1, 0, 0, 0))


@pytest.mark.parametrize(
    ("node", "known"),
    [
        *((NODES[name], True) for name in NAMES),
        (replace(NODES["conv"], attrs=ConvAttrs(Window((1, 1)), groups=3)), True),
        (replace(NODES["depthwise"], attrs=ConvAttrs(Window((1, 1)), groups=4)), True),
        (replace(POOLED, attrs=PoolAttrs(POOLED.attrs.window, count_include_pad=True)), False),
        (replace(POOLED, attrs=PoolAttrs(PADDED)), False),
        (replace(POOLED, op="MaxPool", attrs=PoolAttrs(PADDED)), True),
        (replace(NODES["depthwise"], attrs=ConvAttrs(RIGHT, groups=4)), False),
        (replace(NODES["conv"], attrs=ConvAttrs(OUTSIDE)), False),
        (replace(NODES["up"], attrs=replace(NODES["up"].attrs, groups=2)), False),
        (replace(NODES["sum"], op="Sub", attrs=PointAttrs()), False),
    ],
)
def test_what_the_library_has_is_told(node: Node, known: bool) -> None:
    assert supported(GRAPH, node) is known


@pytest.mark.parametrize("name", ["in0", "conv_out"])
def test_layers_of_two_widths_are_left_out(name: str) -> None:
    value = replace(GRAPH.values[name], quant=QuantParams((0.5,), bits=16))
    graph = replace(GRAPH, values={**GRAPH.values, name: value})
    assert not supported(graph, NODES["conv"])


def test_the_library_has_fewer_layers_of_int16() -> None:
    graph = wide(GRAPH)
    assert [name for name in NAMES if supported(graph, NODES[name])] == list(NARROW)


def pool_of(*shape: int) -> tuple[Graph, Node]:
    net = Net("large")
    net.pool(net.input(*shape), "MaxPool", (1, 2), name="pool")
    return net.graph("pool_out"), net.nodes[0]


def test_a_tensor_larger_than_the_app_s_buffer_is_refused() -> None:
    job_of(*pool_of(1, 1024, 512, 1), 0)
    with pytest.raises(BenchError, match=r"pool is too large to be compared: over 524,288 B"):
        job_of(*pool_of(1, 1024, 514, 1), 0)


def test_layers_whose_data_overlap_the_app_s_buffers_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    jobs = [job_of(GRAPH, NODES["sum"], 0)]
    size = len(blob_of(jobs))
    monkeypatch.setattr(cmsis_nn_jobs, "BLOB_BYTES", size)
    assert len(blob_of(jobs)) == size
    monkeypatch.setattr(cmsis_nn_jobs, "BLOB_BYTES", size - 1)
    with pytest.raises(BenchError, match=f"too large to be compared: {size:,} B of data"):
        blob_of(jobs)


def test_negative_numbers_of_a_job_are_two_s_complements() -> None:
    job = Job((0, *[-1] * 20), {"input": np.zeros(1, np.int8)}, 1, {})
    found: dict[str, Any] = head(blob_of([job]), 0)
    assert [found[name] for name in FIELDS[2:22]] == [-1] * 20

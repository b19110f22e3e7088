"""Chains that only move elements: they vanish, or become moves of the device."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx_equal import check_equal, imported
from random_models import STEADY, kinds

from deployer.errors import ModelError
from deployer.frontend.express import express
from deployer.frontend.rearrangement import applied
from deployer.ir.graph import Graph
from deployer.numerics import interpret
from deployer.quantize.quantize import QuantOptions, quantize
from deployer.quantize.samples import device_layout, synthetic_samples
from models import ModelBuilder
from qdq import QdqBuilder, expected, integer_steps, samples_for

FAR = -(2**62)


def ints(s: ModelBuilder, *numbers: int) -> str:
    return s.constant(np.int64(numbers))


def pick(s: ModelBuilder, x: str, indices: object, axis: int) -> str:
    return s.node("Gather", x, s.constant(np.int64(indices)), axis=axis)


def pick_nd(s: ModelBuilder, x: str, indices: Sequence[int]) -> str:
    """What the dynamo exporter makes of x[:, indices]."""
    x = s.node("Transpose", x, perm=[1, 0, 2, 3])
    x = s.node("GatherND", x, s.constant(np.int64(indices)[:, None]), batch_dims=0)
    return s.node("Transpose", x, perm=[1, 0, 2, 3])


def steps(s: ModelBuilder, x: str, *ranges: tuple[int, int, int, int]) -> str:
    """Slice; a range is start, end, axis, step."""
    return s.node("Slice", x, *(ints(s, *column) for column in zip(*ranges, strict=True)))


def shaped(s: ModelBuilder, x: str, *sizes: int) -> str:
    return s.node("Reshape", x, ints(s, *sizes))


def turned(s: ModelBuilder, x: str, shape: Sequence[int], perm: Sequence[int], *out: int) -> str:
    return shaped(s, s.node("Transpose", shaped(s, x, *shape), perm=list(perm)), *out)


# Of an image (1, 8, 6, 6): what stands between two convolutions, and what runs of it.
IMAGES: dict[str, tuple[Callable[[ModelBuilder, str], str], list[str]]] = {
    "shuffle": (lambda s, x: pick(s, x, [0, 4, 1, 5, 2, 6, 3, 7], 1), ["Transpose"]),
    "shuffle by GatherND": (lambda s, x: pick_nd(s, x, [0, 4, 1, 5, 2, 6, 3, 7]), ["Transpose"]),
    "identity": (lambda s, x: pick(s, x, range(8), 1), []),
    "identity of rows": (lambda s, x: pick(s, x, [0, 1, 2, -3, -2, -1], 2), []),
    "rows": (lambda s, x: pick(s, x, [3, 4, 5], 2), ["Slice"]),
    "table": (lambda s, x: pick(s, x, [3, 1, 0, 2], 3), ["Slice"] * 5 + ["Concat"]),
    "every second": (lambda s, x: steps(s, x, (0, 9, 2, 2), (1, 9, 3, 2)), ["Slice"] * 2),
    "two of six columns": (lambda s, x: steps(s, x, (1, 6, 3, 4)), ["MaxPool", "Slice"]),
    "rolled": (lambda s, x: pick(s, x, [4, 5, 0, 1, 2, 3], 2), ["Slice"] * 2 + ["Concat"]),
    "flip": (lambda s, x: steps(s, x, (-1, FAR, 3, -1)), ["Slice"] * 6 + ["Concat"]),
    "unshuffle": (
        lambda s, x: turned(s, x, (1, 8, 3, 2, 3, 2), (0, 1, 3, 5, 2, 4), 1, 32, 3, 3),
        ["SpaceToDepth"],
    ),
    "windows": (
        lambda s, x: turned(s, x, (1, 8, 3, 2, 2, 3), (0, 2, 4, 1, 3, 5), 1, 6, 8, 6),
        ["Transpose"] * 2,
    ),
    "flat and back": (
        lambda s, x: shaped(s, pick(s, shaped(s, x, -1), range(288), 0), 1, 8, 6, 6),
        [],
    ),
    "tiled": (lambda s, x: s.node("Tile", x, ints(s, 1, 2, 1, 1)), ["Resize"]),
    "expanded": (lambda s, x: s.node("Expand", x, ints(s, 1, 1, 1, 1)), []),
}


@pytest.mark.parametrize("name", IMAGES)
def test_between_two_layers(name: str, tmp_path: Path) -> None:
    between, expected_kinds = IMAGES[name]
    s = ModelBuilder(1)
    x = between(s, s.relu(s.conv(s.input(1, 3, 6, 6), (8, 3, 1, 1))))
    graph = check_equal(s.model(s.node("Tanh", x)), tmp_path)
    assert [kind for kind in kinds(graph) if kind not in ("Conv2d", "Table")] == expected_kinds
    check_samples(graph)


def check_samples(graph: Graph) -> None:
    """Several samples at once give what each gives alone."""
    arrays = {name: device_layout(graph, name, a) for name, a in samples_for(graph, 3).items()}
    together = interpret.run(graph, arrays)
    for i in range(3):
        alone = interpret.run(graph, {name: a[i : i + 1] for name, a in arrays.items()})
        for name, array in alone.items():
            np.testing.assert_allclose(together[name][i : i + 1], array, rtol=1e-5, atol=1e-6)


def channels_last_pool(s: ModelBuilder, x: str, channels: int) -> str:
    """What the dynamo exporter makes of a global pool over a channels-last tensor."""
    x = s.node("ReduceMean", x, s.constant(np.int64([-1, -2])), keepdims=1)
    index = s.constant(np.arange(channels).reshape(1, channels, 1, 1))
    x = s.node("Gather", shaped(s, x, -1), index, axis=0)
    return shaped(s, x, 1, channels)


def test_a_channels_last_global_pool_vanishes(tmp_path: Path) -> None:
    s = ModelBuilder(2, opset=18)
    x = channels_last_pool(s, s.relu(s.conv(s.input(1, 3, 6, 6), (8, 3, 1, 1))), 8)
    graph = check_equal(s.model(s.gemm(x, 8, 4)), tmp_path)
    assert kinds(graph) == ["Conv2d", "AveragePool", "FullyConnected"]


def test_what_reads_the_middle_of_a_chain_keeps_it(tmp_path: Path) -> None:
    """Two chains from one source, and a layer that reads an ordinary tensor between."""
    s = ModelBuilder(3)
    x = s.relu(s.conv(s.input(1, 3, 6, 6), (8, 3, 1, 1)))
    first = pick(s, x, [7, 6, 5, 4, 3, 2, 1, 0], 1)
    second = s.node("Add", pick(s, first, [1, 0, 3, 2, 5, 4, 7, 6], 1), first)
    check_equal(s.model(s.node("Tanh", second)), tmp_path)


@pytest.mark.parametrize("kind", [np.int8, np.uint8])
def test_within_a_quantized_model(kind: type, tmp_path: Path) -> None:
    """The pairs between, as ONNX Runtime's quantizer writes them, go before the chain."""
    shift = 128 if kind is np.uint8 else 0
    s = QdqBuilder(4, 18, kind)
    x = s.pair(s.input(1, 3, 6, 6), 0.0311, 5 + shift)
    x = s.pair(s.relu(s.qconv(x, (8, 3, 3, 3), 0.0311)), 0.0517, -128 + shift)
    numbers = (0.0517, -128 + shift)
    x = s.pair(pick(s, x, [3, 1, 0, 2, 7, 6, 5, 4], 1), *numbers)
    x = s.pair(s.node("ReduceMean", x, ints(s, 2, 3), keepdims=1), *numbers)
    x = s.pair(shaped(s, x, -1), *numbers)
    x = s.pair(pick(s, x, np.arange(8).reshape(1, 8, 1, 1), 0), *numbers)
    x = s.pair(shaped(s, x, 1, 8), *numbers)
    x = s.node("Gemm", x, s.stored(s.steps(5, 8), 0.01), s.biased(5, 0.01 * 0.0517), transB=1)
    model = s.model(s.pair(x, 0.0711, 3 + shift))
    graph = imported(model, tmp_path)
    assert "Rescale" not in kinds(graph)
    assert kinds(graph)[-2:] == ["AveragePool", "FullyConnected"]
    integer = quantize(graph, synthetic_samples(graph), QuantOptions()).graph
    feeds = samples_for(graph)
    found, wanted = integer_steps(integer, feeds)["output"], expected(model, feeds)["output"]
    off = np.abs(found.reshape(wanted.shape) - wanted) / integer.values["output"].q.tensor_scale
    assert (off < 1.01).mean() >= 0.99


def test_windows_within_a_quantized_model(tmp_path: Path) -> None:
    """Six axes, and a pair behind every node of the chain."""
    s = QdqBuilder(6, 18)
    x = s.pair(s.input(1, 3, 6, 6), 0.0311, 5)
    x = s.pair(s.relu(s.qconv(x, (8, 3, 1, 1), 0.0311)), 0.0517, -128)
    x = s.pair(shaped(s, x, 1, 8, 3, 2, 3, 2), 0.0517, -128)
    x = s.pair(s.node("Transpose", x, perm=[0, 1, 3, 5, 2, 4]), 0.0517, -128)
    x = s.pair(shaped(s, x, 1, 32, 3, 3), 0.0517, -128)
    graph = imported(s.model(s.pair(s.qconv(x, (4, 32, 1, 1), 0.0517), 0.0711)), tmp_path)
    assert kinds(graph) == ["Conv2d", "SpaceToDepth", "Conv2d"]


@pytest.mark.parametrize(
    ("between", "found"),
    [
        (lambda s, x: pick(s, x, s.rng.permutation(64), 1), r"Gather needs constant indices"),
        (
            lambda s, x: s.node(
                "Gather", x, s.node("Cast", s.input(3, name="which"), to=7), axis=1
            ),
            r"Gather needs constant indices.*found cast_2_out, computed",
        ),
        (lambda s, x: pick(s, x, [64], 1), "does not fit|needs"),
        (lambda s, x: s.node("Transpose", x, perm=[1, 0, 2, 3]), r"batch of 1 in axis 0"),
    ],
)
def test_what_no_moves_make_is_refused(
    between: Callable[[ModelBuilder, str], str], found: str, tmp_path: Path
) -> None:
    s = ModelBuilder(5)
    x = between(s, s.relu(s.conv(s.input(1, 3, 4, 4), (64, 3, 1, 1))))
    with pytest.raises(ModelError, match=found):
        imported(s.model(s.node("Tanh", x), checked=False), tmp_path)


# Moves


def image(*shape: int) -> np.ndarray:
    return np.arange(int(np.prod(shape))).reshape(shape)


@pytest.mark.parametrize(
    ("shape", "move"),
    [
        ((6, 4, 3), lambda x: x[::-1, ::-1]),
        ((7, 5, 3), lambda x: x[1::2, ::3]),
        ((6, 6, 3), lambda x: x.repeat(2, 0).repeat(2, 1)),
        ((4, 5, 3), lambda x: np.tile(x, (2, 1, 1))),
        ((6, 6, 3), lambda x: np.roll(x, (1, 2), (0, 1))),
        ((6, 4, 3), np.rot90),
        ((96, 1, 2), lambda x: x[::-1]),
        ((4, 6, 9), lambda x: x[:, [5, 0, 2]][..., 1::4]),
        ((8, 8, 6), lambda x: x.reshape(4, 2, 2, 4, 6).transpose(0, 2, 1, 3, 4)),
        ((1, 1, 6), lambda x: np.broadcast_to(x, (5, 3, 6))),
        ((4, 4, 4), lambda x: x[2, 1]),
        ((4, 4, 4), lambda x: x[2, 1, 3:]),
    ],
)
def test_orders_that_are_moves(
    shape: tuple[int, ...], move: Callable[[np.ndarray], np.ndarray]
) -> None:
    source = image(*shape)
    flat = np.ascontiguousarray(move(source)).reshape(-1)
    moves = express(source.size, flat)
    assert moves is not None
    np.testing.assert_array_equal(applied(moves, source.reshape(-1)), flat)


@STEADY
@given(data=st.data())
def test_any_chain_of_regular_steps_is_right_or_refused(data: st.DataObject) -> None:
    shape = data.draw(st.lists(st.integers(1, 6), min_size=3, max_size=3))
    array, count = image(*shape), int(np.prod(shape))
    for _ in range(data.draw(st.integers(1, 3))):
        kind = data.draw(st.sampled_from(["turn", "flip", "skip", "repeat", "flat", "pick"]))
        axis = data.draw(st.integers(0, array.ndim - 1))
        if kind == "turn":
            array = array.transpose(data.draw(st.permutations(range(array.ndim))))
        elif kind == "flip":
            array = np.flip(array, axis)
        elif kind == "skip":
            array = array.take(range(0, array.shape[axis], data.draw(st.integers(1, 3))), axis)
        elif kind == "repeat":
            array = array.repeat(2, axis)
        elif kind == "flat":
            array = array.reshape(array.shape[0], -1)
        else:
            picks = data.draw(
                st.lists(st.integers(0, array.shape[axis] - 1), min_size=1, max_size=5)
            )
            array = array.take(picks, axis)
    flat = np.ascontiguousarray(array).reshape(-1)
    moves = express(count, flat)
    if moves is not None:
        np.testing.assert_array_equal(applied(moves, np.arange(count)), flat)

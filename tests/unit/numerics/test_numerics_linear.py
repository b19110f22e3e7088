"""Convolutions and dense layers: the fast numpy forms against naive loops over int64."""

from __future__ import annotations

from typing import Any

import exact
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from integer_nodes import (
    SEEDS,
    STEADY,
    one_node,
    random_int8,
    random_int16,
    trivial_tables,
    windows,
)

from deployer.ir.attrs import Clamp, ConvAttrs, Pads, PointAttrs, Window
from deployer.ir.graph import Graph, Node
from deployer.ir.ops import window_output
from deployer.ir.types import DType
from deployer.numerics import floating, integer
from deployer.numerics.convolve import product


@st.composite
def conv_cases(draw: Any) -> tuple[np.ndarray, np.ndarray, Window, int, int]:
    """A batch, OHWI weights, the window, groups and the input's zero point."""
    rng = np.random.default_rng(draw(SEEDS))
    height, width = draw(st.integers(1, 7)), draw(st.integers(1, 7))
    window = draw(windows(height, width))
    groups, depth, per_group = (draw(st.integers(1, 3)) for _ in range(3))
    x = random_int8(rng, draw(st.integers(1, 3)), height, width, groups * depth)
    weights = random_int8(rng, groups * per_group, *window.kernel, depth, lowest=-127)
    return x, weights, window, groups, draw(st.integers(-128, 127))


def evaluate(graph: Graph, *inputs: np.ndarray) -> np.ndarray:
    """The only node of ``graph`` on activations and its constants."""
    node = graph.nodes[0]
    constants = [graph.constants[name] for name in node.inputs if name in graph.constants]
    return integer.evaluate(graph, node, [*inputs, *constants])


@STEADY
@given(case=conv_cases(), shift=st.integers(0, 12))
def test_convolution_equals_naive_loops(case: Any, shift: int) -> None:
    x, weights, window, groups, zero = case
    bias = np.arange(len(weights), dtype=np.int32) * 1000 - 500
    out_shape = (1, *window_output(window, *x.shape[1:3]), len(weights))
    graph = one_node(
        "Conv2d",
        ConvAttrs(window, groups),
        ((1, *x.shape[1:]),),
        out_shape,
        tables=trivial_tables(len(weights), shift),
        zeros=(zero, 0),
        constants={"w": weights, "b": bias},
    )
    sums = np.stack([exact.convolution(i, weights, window, groups=groups, fill=zero) for i in x])
    expected = np.clip((sums + bias) >> shift, -128, 127)
    assert np.array_equal(evaluate(graph, x), expected)


@STEADY
@given(case=conv_cases())
def test_float_convolution_equals_naive_loops(case: Any) -> None:
    x, weights, window, groups, _ = case
    node = Node("c", "Conv2d", ("x", "w", "b"), ("y",), ConvAttrs(window, groups, Clamp(0.0, 1e5)))
    bias = np.linspace(-40, 40, len(weights), dtype=np.float32)
    found = floating.evaluate(node, [x.astype(np.float32), weights.astype(np.float32), bias])
    sums = np.stack([exact.convolution(i, weights, window, groups=groups, fill=0) for i in x])
    assert found.dtype == np.float32
    assert np.array_equal(found, np.clip(sums.astype(np.float32) + bias, 0, 1e5))


@pytest.mark.parametrize("kind", [DType.S8, DType.S16])
@STEADY
@given(data=st.data(), multiplier=st.integers(1, 3), channels=st.integers(1, 4))
def test_depthwise_equals_grouped_convolution(
    kind: DType, data: st.DataObject, multiplier: int, channels: int
) -> None:
    rng = np.random.default_rng(data.draw(SEEDS))
    window = data.draw(windows(6, 5))
    x = (random_int8 if kind is DType.S8 else random_int16)(rng, 2, 6, 5, channels)
    out = channels * multiplier
    weights = random_int8(rng, *window.kernel, out, lowest=-127)
    zero = data.draw(st.integers(-128, 127)) if kind is DType.S8 else 0
    tables, ends = trivial_tables(out, 6 if kind is DType.S8 else 8), np.iinfo(kind.numpy)
    bias = rng.integers(-5000, 5000, out).astype(np.int32)
    out_shape = (1, *window_output(window, 6, 5), out)
    grouped = np.ascontiguousarray(weights.transpose(2, 0, 1)[..., None])
    results = [
        evaluate(
            one_node(
                op,
                ConvAttrs(window, groups),
                ((1, *x.shape[1:]),),
                out_shape,
                tables=tables,
                zeros=(zero, 0),
                types=(kind, kind),
                bounds=(ends.min, ends.max),
                constants={"w": array, "b": bias},
            ),
            x,
        )
        for op, groups, array in (
            ("DepthwiseConv2d", channels, weights),
            ("Conv2d", channels, grouped),
        )
    ]
    assert np.array_equal(*results)


@STEADY
@given(seed=SEEDS, rows=st.integers(1, 9), columns=st.integers(1, 9), inner=st.integers(1, 40))
def test_exact_matmul_equals_int64(seed: int, rows: int, columns: int, inner: int) -> None:
    rng = np.random.default_rng(seed)
    x, w = random_int8(rng, rows, inner), random_int8(rng, inner, columns)
    expected = x.astype(np.int64) @ w.astype(np.int64)
    assert np.array_equal(integer.exact_matmul(x, w), expected)


@pytest.mark.parametrize("inner", [1023, 1024, 1025, 1032, 1033, 5000, 140_000])
@pytest.mark.parametrize("low", [-128, -127])
def test_exact_matmul_at_the_extremes(inner: int, low: int) -> None:
    """On both sides of what float32, and then int32, can hold."""
    x = np.full((3, inner), -128, dtype=np.int8)
    w = np.full((inner, 2), low, dtype=np.int8)
    x[1], w[0, 1] = 127, 1
    expected = x.astype(np.int64) @ w.astype(np.int64)
    assert np.array_equal(integer.exact_matmul(x, w), expected)


def test_product_in_pieces_equals_the_whole() -> None:
    rng = np.random.default_rng(3)
    rows = rng.integers(-50, 50, (1000, 30)).astype(np.float32)
    kernel = rng.integers(-50, 50, (40, 30)).astype(np.float32).T
    assert np.array_equal(product(rows, kernel), rows.astype(np.int64) @ kernel.astype(np.int64))


def test_dense_layer() -> None:
    x = np.array([[10, -20, 30]], dtype=np.int8)
    weights = np.array([[1, 2, 3], [-1, 0, 1]], dtype=np.int8)
    graph = one_node(
        "FullyConnected",
        PointAttrs(),
        ((1, 3),),
        (1, 2),
        tables=trivial_tables(2),
        bounds=(-10, 50),
        constants={"w": weights, "b": np.array([-5, 7], dtype=np.int32)},
    )
    assert evaluate(graph, x).tolist() == [[50, 27]]  # 55 cut at 50


def test_accumulators_beyond_int32_are_an_error() -> None:
    x = np.full((1, 1, 1, 64), 127, dtype=np.int8)
    graph = one_node(
        "Conv2d",
        ConvAttrs(Window((1, 1))),
        ((1, 1, 1, 64),),
        (1, 1, 1, 1),
        tables=trivial_tables(1, 10),
        constants={
            "w": np.full((1, 1, 1, 64), 127, dtype=np.int8),
            "b": np.array([2**31 - 1000], dtype=np.int32),
        },
    )
    with pytest.raises(OverflowError, match="range analysis"):
        evaluate(graph, x)


def test_asymmetric_pads_read_the_zero_point() -> None:
    """A 2x2 window of ones over one pixel padded below and right: 1 tap of x, 3 of zx."""
    graph = one_node(
        "Conv2d",
        ConvAttrs(Window((2, 2), pads=Pads(0, 0, 1, 1))),
        ((1, 1, 1, 1),),
        (1, 1, 1, 1),
        tables=trivial_tables(1),
        zeros=(-7, 0),
        constants={"w": np.ones((1, 2, 2, 1), np.int8), "b": np.array([90], np.int32)},
    )
    assert evaluate(graph, np.full((1, 1, 1, 1), 50, dtype=np.int8)).item() == 90 + 50 - 21

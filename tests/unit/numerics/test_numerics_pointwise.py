"""Pools, addition, softmax and the operators that only move data."""

from __future__ import annotations

import math
from typing import Any

import exact
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from integer_nodes import SEEDS, STEADY, one_node, random_int8, trivial_tables, windows

from deployer.ir.attrs import (
    Clamp,
    PointAttrs,
    PoolAttrs,
    ReshapeAttrs,
    SoftmaxAttrs,
    TransposeAttrs,
    Window,
)
from deployer.ir.graph import Graph, Node
from deployer.ir.ops import window_output
from deployer.numerics import floating, integer
from deployer.numerics.windows import taps_inside


def evaluate(graph: Graph, *inputs: np.ndarray) -> np.ndarray:
    node = graph.nodes[0]
    constants = [graph.constants[name] for name in node.inputs if name in graph.constants]
    return integer.evaluate(graph, node, [*inputs, *constants])


def pool_case(data: st.DataObject) -> tuple[np.ndarray, Window]:
    rng = np.random.default_rng(data.draw(SEEDS))
    window = data.draw(windows(5, 6))
    assume(taps_inside(window, 5, 6).min() > 0)
    return random_int8(rng, 2, 5, 6, 3), window


def pool(op: str, window: Window, **more: Any) -> Graph:
    shape = (1, *window_output(window, 5, 6), 3)
    return one_node(op, PoolAttrs(window), ((1, 5, 6, 3),), shape, **more)


def inside(x: np.ndarray, window: Window) -> list[list[np.ndarray]]:
    """For each sample, each output pixel's input pixels that exist."""
    height, width = x.shape[1:3]
    return [
        [
            np.array([s[y, c] for y, c in places if 0 <= y < height and 0 <= c < width], int)
            for places in exact.taps(window, height, width)
        ]
        for s in x
    ]


@STEADY
@given(data=st.data())
def test_average_pool_uses_the_entry_of_its_tap_count(data: st.DataObject) -> None:
    x, window = pool_case(data)
    entries = window.taps
    tables = (
        np.arange(1, entries + 1, dtype=np.int32) * 37,
        np.arange(entries, dtype=np.int32) * -91,
        (np.arange(entries) % 9).astype(np.uint8),
    )
    graph = pool("AveragePool", window, tables=tables, rule="i32", bounds=(-120, 119))
    expected = [
        [
            [
                exact.requantize(
                    int(total),
                    "i32",
                    *(int(table[len(pixels) - 1]) for table in tables),
                    low=-120,
                    high=119,
                )
                for total in pixels.sum(axis=0)
            ]
            for pixels in sample
        ]
        for sample in inside(x, window)
    ]
    assert np.array_equal(evaluate(graph, x).reshape(len(x), -1, 3), expected)


@STEADY
@given(data=st.data(), low=st.integers(-128, 0), high=st.integers(1, 127))
def test_max_pool_ignores_padding_and_clamps(data: st.DataObject, low: int, high: int) -> None:
    x, window = pool_case(data)
    graph = pool("MaxPool", window, tables=trivial_tables(1), bounds=(low, high))
    expected = [[pixels.max(axis=0) for pixels in sample] for sample in inside(x, window)]
    result = evaluate(graph, x)
    assert result.dtype == np.int8
    assert np.array_equal(result.reshape(len(x), -1, 3), np.clip(expected, low, high))


@pytest.mark.parametrize("counted", [False, True])
@STEADY
@given(data=st.data())
def test_float_pools(counted: bool, data: st.DataObject) -> None:
    x, window = pool_case(data)
    real = x.astype(np.float32)
    average = Node("p", "AveragePool", ("x",), ("y",), PoolAttrs(window, counted, Clamp(-99)))
    largest = Node("p", "MaxPool", ("x",), ("y",), PoolAttrs(window, clamp=Clamp(None, 50)))
    pixels = inside(x, window)
    means = [
        [p.sum(axis=0) / (window.taps if counted else len(p)) for p in sample] for sample in pixels
    ]
    found = floating.evaluate(average, [real]).reshape(len(x), -1, 3)
    np.testing.assert_allclose(found, np.maximum(means, -99), rtol=1e-6)
    best = floating.evaluate(largest, [real]).reshape(len(x), -1, 3)
    assert np.array_equal(best, np.minimum([[p.max(axis=0) for p in s] for s in pixels], 50))


@STEADY
@given(
    seed=SEEDS,
    ma=st.integers(0, 2**15 - 1),
    mb=st.integers(0, 2**15 - 1),
    rounding=st.integers(-(2**29), 2**29),
    shift=st.integers(0, 30),
)
def test_addition_in_plain_integers(seed: int, ma: int, mb: int, rounding: int, shift: int) -> None:
    rng = np.random.default_rng(seed)
    left, right = random_int8(rng, 2, 1, 3, 4), random_int8(rng, 2, 1, 3, 4)
    tables = (
        np.array([ma, mb], dtype=np.int32),
        np.array([rounding], dtype=np.int32),
        np.array([shift], dtype=np.uint8),
    )
    shape = (1, 1, 3, 4)
    graph = one_node(
        "Add", PointAttrs(), (shape, shape), shape, tables=tables, rule="i32", bounds=(-90, 127)
    )
    total = left.astype(object) * ma + right.astype(object) * mb + rounding
    expected = [min(max(t >> shift, -90), 127) for t in total.ravel()]
    assert evaluate(graph, left, right).ravel().tolist() == expected


def test_addition_that_could_leave_int32_is_an_error() -> None:
    shape = (1, 1, 1, 1)
    tables = (
        np.array([2**14, 2**14], dtype=np.int32),
        np.array([2**31 - 2**20], dtype=np.int32),
        np.zeros(1, dtype=np.uint8),
    )
    graph = one_node("Add", PointAttrs(), (shape, shape), shape, tables=tables, rule="i32")
    with pytest.raises(OverflowError, match="addition"):
        evaluate(graph, *[np.zeros(shape, dtype=np.int8)] * 2)


@STEADY
@given(seed=SEEDS, scale=st.floats(1e-3, 2.0), zero=st.sampled_from([-128, 0]))
def test_softmax_is_near_the_real_one(seed: int, scale: float, zero: int) -> None:
    """Half an output step, plus what the 15-bit table can lose, of the exact value."""
    rng = np.random.default_rng(seed)
    x = random_int8(rng, 4, 10)
    levels = 256 if zero else 128
    graph = softmax_graph(scale, levels, zero)
    real = x.astype(np.float64) * scale
    powers = np.exp(real - real.max(axis=1, keepdims=True))
    exactly = powers / powers.sum(axis=1, keepdims=True) * levels + zero
    table_loss = levels * 10 * 2.0**-15
    assert np.abs(evaluate(graph, x) - np.minimum(exactly, 127)).max() <= 0.5 + table_loss


def softmax_graph(scale: float, levels: int, zero: int, classes: int = 10) -> Graph:
    return one_node(
        "Softmax",
        SoftmaxAttrs(),
        ((1, classes),),
        (1, classes),
        scales=(scale, 1 / levels),
        zeros=(3, zero),
        constants={"t": integer.softmax_table(scale)},
    )


@STEADY
@given(seed=SEEDS, scale=st.floats(1e-6, 4.0), classes=st.sampled_from([1, 2, 300]))
def test_softmax_equals_unsigned_32_bit_arithmetic(seed: int, scale: float, classes: int) -> None:
    x = random_int8(np.random.default_rng(seed), 1, classes)
    found = evaluate(softmax_graph(scale, 256, -128, classes), x)
    table = [math.floor(2**15 * math.exp(-scale * d) + 0.5) for d in range(256)]
    powers = [table[int(x.max()) - int(q)] for q in x[0]]
    total = sum(powers)
    for e, y in zip(powers, found[0].tolist(), strict=True):
        numerator = e * 256 + total // 2
        assert numerator < 2**32
        assert y == min(127, -128 + numerator // total)


def test_softmax_of_the_longest_row_stays_in_unsigned_32_bits() -> None:
    x = np.full((1, 65_536), 127, dtype=np.int8)
    assert 2**15 * 256 + 2**15 * 65_536 // 2 < 2**32
    assert (evaluate(softmax_graph(0.1, 256, -128, 65_536), x) == -128).all()


def test_softmax_table() -> None:
    table = integer.softmax_table(0.25)
    assert table.dtype == np.int32
    assert table.shape == (256,)
    assert table[0] == 1 << 15
    assert table[4] == round(2**15 / math.e)
    assert (np.diff(table) <= 0).all()


def test_rescale_with_folded_zero() -> None:
    """(x - 10) / 2 + 3, half up, cut to [-20, 60]."""
    shape = (1, 1, 1, 5)
    tables = (
        np.array([1 << 10], dtype=np.int32),
        np.array([(1 << 10) + 3 * (1 << 11) - 10 * (1 << 10)], dtype=np.int32),
        np.array([11], dtype=np.uint8),
    )
    graph = one_node(
        "Rescale", PointAttrs(), (shape,), shape, tables=tables, rule="i32", bounds=(-20, 60)
    )
    x = np.array([-128, 10, 11, 13, 127], dtype=np.int8).reshape(shape)
    assert evaluate(graph, x).ravel().tolist() == [-20, 3, 4, 5, 60]


def test_moving_data_keeps_every_byte() -> None:
    x = random_int8(np.random.default_rng(1), 3, 2, 4, 5)
    flat = one_node("Reshape", ReshapeAttrs((1, 40)), ((1, 2, 4, 5),), (1, 40))
    turned = one_node("Transpose", TransposeAttrs((0, 3, 1, 2)), ((1, 2, 4, 5),), (1, 5, 2, 4))
    assert np.array_equal(evaluate(flat, x), x.reshape(3, 40))
    assert np.array_equal(evaluate(turned, x), np.moveaxis(x, 3, 1))


@STEADY
@given(seed=SEEDS)
def test_float_softmax_sums_to_one_without_overflow(seed: int) -> None:
    x = np.random.default_rng(seed).normal(0, 300, (5, 7)).astype(np.float32)
    node = Node("s", "Softmax", ("x",), ("y",), SoftmaxAttrs())
    found = floating.evaluate(node, [x])
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found.sum(axis=1), 1, rtol=1e-5)
    assert np.array_equal(found.argmax(axis=1), x.argmax(axis=1))

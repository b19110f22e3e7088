"""int16 activations: every operator against plain integers, up to the ends of int16 and int32."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import exact
import exact_more
import numpy as np
import pytest
from hypothesis import assume, given
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

from deployer.ir.attrs import (
    BlockAttrs,
    ConcatAttrs,
    ConvAttrs,
    ConvTransposeAttrs,
    PadAttrs,
    PointAttrs,
    PoolAttrs,
    ResizeAttrs,
    SliceAttrs,
    TransposeAttrs,
    Window,
)
from deployer.ir.graph import Graph
from deployer.ir.ops import OPS, window_output
from deployer.ir.types import DType
from deployer.numerics import integer
from deployer.numerics.requant import choose, requantize
from deployer.numerics.windows import taps_inside

LOW, HIGH = -32768, 32767
RULES = ["shift", "i32", "q16", "q32", "q31"]
Tables = tuple[np.ndarray, np.ndarray, np.ndarray]


def wide(op: str, attrs: Any, *inputs: np.ndarray, **more: Any) -> Graph:
    """A node of int16 in and out; constants come in as for ``one_node``."""
    shapes = tuple((1, *x.shape[1:]) for x in inputs)
    constants = more.get("constants", {})
    out = OPS[op].shape(attrs, [*shapes, *(c.shape for c in constants.values())])
    more = {"bounds": (LOW, HIGH), "types": (DType.S16, DType.S16), **more}
    return one_node(op, attrs, shapes, out, **more)


def evaluate(graph: Graph, *inputs: np.ndarray) -> np.ndarray:
    node = graph.nodes[0]
    constants = [graph.constants[name] for name in node.inputs if name in graph.constants]
    found = integer.evaluate(graph, node, [*inputs, *constants])
    assert found.dtype == graph.values["y"].dtype.numpy
    return found


def entries(*rows: tuple[int, int, int]) -> Tables:
    """Requantization tables of (m, r, s) rows."""
    m, r, s = zip(*rows, strict=True)
    return np.array(m, np.int32), np.array(r, np.int32), np.array(s, np.uint8)


@st.composite
def convolutions(draw: Any) -> tuple[np.ndarray, np.ndarray, Window, int]:
    """A batch, OHWI weights, the window, groups."""
    rng = np.random.default_rng(draw(SEEDS))
    height, width = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    window = draw(windows(height, width, largest=3))
    groups, depth, per_group = (draw(st.integers(1, 3)) for _ in range(3))
    x = random_int16(rng, draw(st.integers(1, 2)), height, width, groups * depth)
    return (
        x,
        random_int8(rng, groups * per_group, *window.kernel, depth, lowest=-127),
        window,
        groups,
    )


@STEADY
@given(case=convolutions(), shift=st.integers(0, 20))
def test_convolution_equals_naive_loops(case: Any, shift: int) -> None:
    x, weights, window, groups = case
    bias = np.arange(len(weights), dtype=np.int32) * 300_001 - 500
    graph = wide(
        "Conv2d",
        ConvAttrs(window, groups),
        x,
        tables=trivial_tables(len(weights), shift),
        constants={"w": weights, "b": bias},
    )
    sums = np.stack([exact.convolution(i, weights, window, groups=groups, fill=0) for i in x])
    assert np.array_equal(evaluate(graph, x), np.clip((sums + bias) >> shift, LOW, HIGH))


@STEADY
@given(seed=SEEDS, stride=st.integers(1, 3), kernel=st.integers(1, 3), groups=st.integers(1, 2))
def test_transposed_convolution_equals_scattered_products(
    seed: int, stride: int, kernel: int, groups: int
) -> None:
    rng = np.random.default_rng(seed)
    x, w = random_int16(rng, 1, 3, 2, groups * 2), random_int8(rng, groups * 2, kernel, kernel, 2)
    window = Window((kernel, kernel), stride=(stride, stride))
    attrs = ConvTransposeAttrs(window, (2 * stride + kernel, stride + kernel), groups)
    bias = rng.integers(-(10**6), 10**6, len(w)).astype(np.int32)
    tables = trivial_tables(len(w), 8)
    graph = wide("ConvTranspose2d", attrs, x, tables=tables, constants={"w": w, "b": bias})
    sums = exact_more.transposed(x[0], w, attrs, 0) + bias
    assert np.array_equal(evaluate(graph, x)[0], np.clip(sums >> 8, LOW, HIGH))


@pytest.mark.parametrize("inner", [4, 5, 511, 512, 513, 600, 40_000])
@pytest.mark.parametrize("weight", [-127, 127])
def test_products_at_the_extremes(inner: int, weight: int) -> None:
    """On both sides of what float32, and then int32, can hold."""
    x = np.full((3, inner), LOW, dtype=np.int16)
    w = np.full((inner, 2), weight, dtype=np.int8)
    x[1], x[2, ::2], w[0, 1] = HIGH, -1, 1
    assert np.array_equal(integer.exact_matmul(x, w), x.astype(np.int64) @ w.astype(np.int64))


@pytest.mark.parametrize(("taps", "fits"), [(516, True), (517, False)])
def test_a_row_of_weights_too_long_for_int32_is_an_error(taps: int, fits: bool) -> None:
    x = np.full((1, taps), LOW, dtype=np.int16)
    constants = {"w": np.full((1, taps), -127, np.int8), "b": np.zeros(1, np.int32)}
    graph = wide("FullyConnected", PointAttrs(), x, tables=trivial_tables(1), constants=constants)
    if fits:
        assert evaluate(graph, x).tolist() == [[HIGH]]
        return
    with pytest.raises(OverflowError, match="range analysis"):
        evaluate(graph, x)


@pytest.mark.parametrize("rule", RULES)
@STEADY
@given(data=st.data())
def test_rules_equal_plain_integers(rule: str, data: st.DataObject) -> None:
    limit = data.draw(st.integers(1, 2**30))
    real = (
        2.0 ** -data.draw(st.integers(0, 22))
        if rule == "shift"
        else data.draw(st.floats(2.0**-30, 0.49))
    )
    try:
        found = choose(rule, np.array([real]), np.array([limit]), 0, steps=65_535)
    except ValueError:
        assume(False)
    accs = [-limit, limit, 0, -1, 1, *data.draw(st.lists(st.integers(-limit, limit), max_size=9))]
    tables = (found.multiplier, found.rounding, found.shift)
    column = np.array(accs, dtype=np.int32)[:, None]
    result = requantize(column, rule, *tables, low=-30_000, high=HIGH, dtype=np.int16)
    m, r, s = (int(t[0]) for t in tables)
    expected = [exact.requantize(a, rule, m, r, s, low=-30_000, high=HIGH) for a in accs]
    assert result.dtype == np.int16
    assert result[:, 0].tolist() == expected
    for acc, y in zip(accs, expected, strict=True):
        ideal = min(max(Fraction(real) * acc, Fraction(-30_000)), Fraction(HIGH))
        assert abs(y - ideal) <= Fraction(1, 2) + Fraction(found.error) + Fraction(1, 10**9)


@STEADY
@given(real=st.floats(2.0**-20, 0.49), limit=st.integers(2**16, 2**30))
def test_stated_error_grows_with_the_type(real: float, limit: int) -> None:
    """The multiplier's part goes with the steps that sums reach; the floor's stays."""
    narrow, broad = (
        choose("q16", np.array([real]), np.array([limit]), 0, steps=n) for n in (255, 65_535)
    )
    floor = 2.0 ** -int(narrow.shift[0])
    growth = min(65_535, limit * real) / min(255, limit * real)
    assert broad.error - floor == pytest.approx(growth * (narrow.error - floor))


@STEADY
@given(seed=SEEDS, ma=st.integers(-(2**14), 2**14), mb=st.integers(-(2**14), 2**14))
def test_addition_in_plain_integers(seed: int, ma: int, mb: int) -> None:
    rng = np.random.default_rng(seed)
    left, right = random_int16(rng, 2, 1, 3, 4), random_int16(rng, 2, 1, 3, 4)
    tables = (np.array([ma, mb], np.int32), np.array([1 << 13], np.int32), np.array([14], np.uint8))
    graph = wide("Add", PointAttrs(), left, right, tables=tables, rule="i32")
    total = left.astype(object) * ma + right.astype(object) * mb + (1 << 13)
    expected = [min(max(t >> 14, LOW), HIGH) for t in total.ravel()]
    assert evaluate(graph, left, right).ravel().tolist() == expected


def test_addition_that_could_leave_int32_is_an_error() -> None:
    x = np.zeros((1, 1, 1, 1), dtype=np.int16)
    tables = (np.array([2**15, 2**15], np.int32), np.zeros(1, np.int32), np.zeros(1, np.uint8))
    with pytest.raises(OverflowError, match="addition"):
        evaluate(wide("Add", PointAttrs(), x, x, tables=tables, rule="i32"), x, x)


@pytest.mark.parametrize("rule", RULES)
@STEADY
@given(seed=SEEDS)
def test_products_and_slopes_in_plain_integers(rule: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    left, right = random_int16(rng, 1, 2, 2, 3), random_int16(rng, 1, 2, 2, 3)
    m = {"shift": 1, "i32": 1, "q16": 30_000, "q32": 1 << 18, "q31": 1}[rule]
    product = wide("Mul", PointAttrs(), left, right, tables=entries((m, 64, 14)), rule=rule)
    expected = [
        exact.requantize(int(a) * int(b), rule, m, 64, 14, low=LOW, high=HIGH)
        for a, b in zip(left.ravel(), right.ravel(), strict=True)
    ]
    assert evaluate(product, left, right).ravel().tolist() == expected
    rows = [(m, 1, 1), *((m // (c + 2), -c, c) for c in range(3))]
    slope = wide("PRelu", PointAttrs(), left, tables=entries(*rows), rule=rule)
    expected = [
        exact.requantize(int(x), rule, *rows[1 + i % 3 if x < 0 else 0], low=LOW, high=HIGH)
        for i, x in enumerate(left.ravel())
    ]
    assert evaluate(slope, left).ravel().tolist() == expected


@STEADY
@given(data=st.data())
def test_pools_see_the_taps_inside(data: st.DataObject) -> None:
    window = data.draw(windows(4, 5))
    assume(taps_inside(window, 4, 5).min() > 0)
    x = random_int16(np.random.default_rng(data.draw(SEEDS)), 1, 4, 5, 2)
    rows = [(1 << 14) // n for n in range(1, window.taps + 1)]
    tables = entries(*((m, 1 << 13, 14) for m in rows))
    mean = wide("AveragePool", PoolAttrs(window), x, tables=tables, rule="q16")
    best = wide("MaxPool", PoolAttrs(window), x, tables=trivial_tables(1), bounds=(LOW, 30_000))
    tall, across = window_output(window, 4, 5)
    for pixel, places in enumerate(exact.taps(window, 4, 5)):
        found = [x[0, y, c].astype(int) for y, c in places if 0 <= y < 4 and 0 <= c < 5]
        at = divmod(pixel, across)
        m = rows[len(found) - 1]
        sums = [
            exact.requantize(int(n), "q16", m, 1 << 13, 14, low=LOW, high=HIGH) for n in sum(found)
        ]
        assert evaluate(mean, x)[0][at].tolist() == sums
        assert evaluate(best, x)[0][at].tolist() == np.minimum(np.max(found, 0), 30_000).tolist()
    assert pixel == tall * across - 1


def test_an_average_of_too_many_elements_is_an_error_never_a_wrap() -> None:
    x = np.full((1, 257, 257, 1), LOW, dtype=np.int16)
    window = Window((257, 257))
    tables = tuple(np.repeat(t, window.taps) for t in trivial_tables(1))
    graph = wide("AveragePool", PoolAttrs(window), x, tables=tables)
    with pytest.raises(OverflowError, match="range analysis"):
        evaluate(graph, x)


@STEADY
@given(zero=st.integers(-128, 127), bits=st.integers(0, 8))
def test_int8_to_int16_is_exact_at_a_power_of_two(zero: int, bits: int) -> None:
    """Any zero point; beyond 2^-7 of the scale the integers farthest from it saturate."""
    x = np.arange(-128, 128, dtype=np.int8).reshape(1, 256)
    graph = one_node(
        "Rescale",
        PointAttrs(),
        ((1, 256),),
        (1, 256),
        tables=entries((1 << bits, -zero << bits, 0)),
        rule="i32",
        bounds=(LOW, HIGH),
        zeros=(zero, 0),
        types=(DType.S8, DType.S16),
    )
    real = (x[0].astype(int) - zero) << bits
    assert evaluate(graph, x)[0].tolist() == np.clip(real, LOW, HIGH).tolist()


def test_int16_to_int8_rounds_and_saturates() -> None:
    """x / 256 + 3, half up, cut to [-100, 127]."""
    x = np.array([[LOW, -26368, -129, -128, 0, 127, 128, 31_743, 31_744, HIGH]], dtype=np.int16)
    graph = wide(
        "Rescale",
        PointAttrs(),
        x,
        tables=entries((1, 128 + (3 << 8), 8)),
        bounds=(-100, 127),
        types=(DType.S16, DType.S8),
    )
    assert evaluate(graph, x)[0].tolist() == [-100, -100, 2, 3, 3, 3, 4, 127, 127, 127]


def test_concat_brings_every_part_to_one_scale() -> None:
    a, b = (np.array([[LOW, -3, 3, HIGH]], dtype=np.int16) for _ in range(2))
    tables = entries((1, 0, 0), (3, 1, 1))
    graph = wide("Concat", ConcatAttrs(1), a, b, tables=tables, rule="i32")
    assert evaluate(graph, a, b).tolist() == [[LOW, -3, 3, HIGH, LOW, -4, 5, HIGH]]


@pytest.mark.parametrize(("real", "value"), [(0.5, 2), (0.625, 2), (9e9, HIGH), (-9e9, LOW)])
def test_pad_is_the_integer_of_its_value(real: float, value: int) -> None:
    x = np.array([[LOW, HIGH]], dtype=np.int16)
    graph = wide("Pad", PadAttrs((0, 1), (0, 1), real), x, scales=(0.25, 0.25))
    assert evaluate(graph, x).tolist() == [[value, LOW, HIGH, value]]


@STEADY
@given(seed=SEEDS, factor=st.sampled_from([2, 4]), half_pixel=st.booleans())
def test_linear_resize_rounds_the_exact_value_half_up(
    seed: int, factor: int, half_pixel: bool
) -> None:
    x = random_int16(np.random.default_rng(seed), 1, 2, 3, 2)
    attrs = ResizeAttrs((factor, 2), "linear", half_pixel)
    expected = [int((value + Fraction(1, 2)) // 1) for value in exact_more.linear(x[0], attrs)]
    assert evaluate(wide("Resize", attrs, x), x).ravel().tolist() == expected


@pytest.mark.parametrize("value", [LOW, HIGH])
def test_the_largest_linear_resize(value: int) -> None:
    """Weights add up to 2^16, which int32 just holds; to 2^17 it does not."""
    x = np.full((1, 1, 1, 1), value, dtype=np.int16)
    assert (evaluate(wide("Resize", ResizeAttrs((128, 128), "linear"), x), x) == value).all()
    with pytest.raises(OverflowError, match="resize"):
        evaluate(wide("Resize", ResizeAttrs((256, 128), "linear"), x), x)


@pytest.mark.parametrize(
    ("op", "attrs", "shape"),
    [
        ("Slice", SliceAttrs((0, 1, 0, 2), (1, 3, 4, 5)), (1, 4, 4, 6)),
        ("Transpose", TransposeAttrs((0, 3, 1, 2)), (1, 2, 4, 6)),
        ("DepthToSpace", BlockAttrs(2, column_first=True), (1, 2, 3, 8)),
        ("SpaceToDepth", BlockAttrs(2), (1, 4, 2, 3)),
        ("Resize", ResizeAttrs((2, 3), "nearest"), (1, 2, 3, 4)),
    ],
)
def test_elements_move_whole(op: str, attrs: Any, shape: tuple[int, ...]) -> None:
    """Both bytes of an element go where the one byte of an int8 goes."""
    x = random_int16(np.random.default_rng(7), *shape)
    low, high = (x & 0xFF).astype(np.uint8).view(np.int8), (x >> 8).astype(np.int8)
    narrow = one_node(op, attrs, (shape,), OPS[op].shape(attrs, [shape]))
    parts = [integer.evaluate(narrow, narrow.nodes[0], [half]) for half in (low, high)]
    expected = parts[0].view(np.uint8).astype(np.int32) + (parts[1].astype(np.int32) << 8)
    assert np.array_equal(evaluate(wide(op, attrs, x), x), expected)

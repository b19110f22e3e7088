"""Transposed convolution, products, tables and moves against slow definitions and the reals."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import exact
import exact_more
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from integer_nodes import SEEDS, STEADY, one_node, random_int8, trivial_tables

from deployer.ir.attrs import (
    BlockAttrs,
    Clamp,
    ConcatAttrs,
    ConvTransposeAttrs,
    PadAttrs,
    Pads,
    PointAttrs,
    ResizeAttrs,
    SliceAttrs,
    TableAttrs,
    Window,
)
from deployer.ir.graph import Graph, Node
from deployer.ir.ops import OPS
from deployer.ir.rules import PRODUCTS
from deployer.ir.types import QuantParams
from deployer.numerics import floating, functions, integer
from deployer.numerics.interpolate import weight_bits
from deployer.numerics.requant import choose

SHAPE = (1, 2, 3, 4)


def evaluate(graph: Graph, *inputs: np.ndarray) -> np.ndarray:
    """The only node of ``graph`` on activations and its constants."""
    node = graph.nodes[0]
    constants = [graph.constants[name] for name in node.inputs if name in graph.constants]
    return integer.evaluate(graph, node, [*inputs, *constants])


def in_reals(op: str, attrs: Any, *inputs: np.ndarray) -> np.ndarray:
    names = tuple(f"x{i}" for i in range(len(inputs)))
    return floating.evaluate(Node("n", op, names, ("y",), attrs), inputs)


def node_of(op: str, attrs: Any, *shapes: tuple[int, ...], **more: Any) -> Graph:
    """One node whose output has the shape the operator table gives."""
    constants = [array.shape for array in more.get("constants", {}).values()]
    return one_node(op, attrs, shapes, OPS[op].shape(attrs, [*shapes, *constants]), **more)


def some_tables(
    rng: np.random.Generator, entries: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Any i32 entries that products of int8 pairs cannot take out of int32."""
    return (
        rng.integers(-(2**14), 2**14, entries).astype(np.int32),
        rng.integers(-(2**29), 2**29, entries).astype(np.int32),
        rng.integers(0, 31, entries).astype(np.uint8),
    )


@st.composite
def transposed_cases(draw: Any) -> tuple[np.ndarray, np.ndarray, ConvTransposeAttrs]:
    """A batch, OHWI weights and attributes: crops, outputs longer than the window gives."""
    rng = np.random.default_rng(draw(SEEDS))
    small, pair = st.integers(0, 3), st.integers(1, 3)
    groups, depth, per_group, height, width = (draw(pair) for _ in range(5))
    kernel, stride = ((draw(st.integers(1, 4)), draw(st.integers(1, 4))) for _ in range(2))
    window = Window(
        kernel, stride, (draw(pair), draw(pair)), Pads(*(draw(small) for _ in range(4)))
    )
    output = (draw(st.integers(1, 12)), draw(st.integers(1, 12)))
    x = random_int8(rng, 2, height, width, groups * depth)
    weights = random_int8(rng, groups * per_group, *kernel, depth, lowest=-127)
    return x, weights, ConvTransposeAttrs(window, output, groups)


@STEADY
@given(case=transposed_cases(), zero=st.integers(-128, 127), shift=st.integers(0, 10))
def test_transposed_convolution_scatters(case: Any, zero: int, shift: int) -> None:
    x, weights, attrs = case
    bias = np.arange(len(weights), dtype=np.int32) * 900 - 400
    graph = node_of(
        "ConvTranspose2d",
        attrs,
        (1, *x.shape[1:]),
        tables=trivial_tables(len(weights), shift),
        zeros=(zero, 0),
        constants={"w": weights, "b": bias},
    )
    sums = np.stack([exact_more.transposed(sample, weights, attrs, zero) for sample in x])
    assert np.array_equal(evaluate(graph, x), np.clip((sums + bias) >> shift, -128, 127))


@STEADY
@given(case=transposed_cases())
def test_float_transposed_convolution(case: Any) -> None:
    x, weights, attrs = case
    cut = ConvTransposeAttrs(attrs.window, attrs.output, attrs.groups, Clamp(None, 3000.0))
    bias = np.arange(len(weights), dtype=np.float32)
    sums = np.stack([exact_more.transposed(sample, weights, attrs, 0) for sample in x])
    found = in_reals("ConvTranspose2d", cut, *(a.astype(np.float32) for a in (x, weights)), bias)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, np.minimum(sums + bias, 3000))


@pytest.mark.parametrize("pixel", [None, 0, 1])
@STEADY
@given(seed=SEEDS, zeros=st.tuples(st.integers(-128, 127), st.integers(-128, 127)))
def test_multiplication_in_plain_integers(
    pixel: int | None, seed: int, zeros: tuple[int, int]
) -> None:
    """Inputs of one shape, or either of them one pixel for all."""
    rng = np.random.default_rng(seed)
    shapes = [(1, 1, 1, 4) if i == pixel else SHAPE for i in range(2)]
    tables = some_tables(rng, 1)
    graph = node_of("Mul", PointAttrs(), *shapes, tables=tables, rule="i32", bounds=(-90, 99))
    for name, zero in zip(("x0", "x1"), zeros, strict=True):
        graph.values[name] = _with_zero(graph, name, zero)
    inputs = [random_int8(rng, 2, *shape[1:]) for shape in shapes]
    pairs = np.broadcast_arrays(*inputs)
    expected = [
        exact.requantize(
            (a - zeros[0]) * (b - zeros[1]), "i32", *(int(t[0]) for t in tables), low=-90, high=99
        )
        for a, b in zip(*(p.ravel().tolist() for p in pairs), strict=True)
    ]
    found = evaluate(graph, *inputs)
    assert found.shape == (2, *SHAPE[1:])
    assert found.ravel().tolist() == expected


def _with_zero(graph: Graph, name: str, zero: int) -> Any:
    return replace(graph.values[name], quant=QuantParams((1.0,), zero))


@STEADY
@given(seed=SEEDS, zero=st.integers(-128, 127))
def test_prelu_in_plain_integers(seed: int, zero: int) -> None:
    rng = np.random.default_rng(seed)
    tables, x = some_tables(rng, 5), random_int8(rng, 2, *SHAPE[1:])
    graph = node_of("PRelu", PointAttrs(), SHAPE, tables=tables, rule="i32", zeros=(zero, 0))
    expected = []
    for place, q in np.ndenumerate(x):
        entry = 0 if q >= zero else 1 + place[-1]
        row = (int(table[entry]) for table in tables)
        expected.append(exact.requantize(int(q) - zero, "i32", *row, low=-128, high=127))
    assert evaluate(graph, x).ravel().tolist() == expected


@STEADY
@given(seed=SEEDS, axis=st.integers(1, 3), parts=st.integers(1, 4))
def test_concat_brings_each_part_to_its_entry(seed: int, axis: int, parts: int) -> None:
    rng = np.random.default_rng(seed)
    shapes = [
        tuple(int(rng.integers(1, 4)) if i == axis else n for i, n in enumerate(SHAPE))
        for _ in range(parts)
    ]
    tables, attrs = some_tables(rng, parts), ConcatAttrs(axis)
    inputs = [random_int8(rng, 2, *shape[1:]) for shape in shapes]
    graph = node_of("Concat", attrs, *shapes, tables=tables, rule="i32", bounds=(-99, 98))
    expected = []
    for x, *row in zip(inputs, *(table.tolist() for table in tables), strict=True):
        flat = [exact.requantize(q, "i32", *row, low=-99, high=98) for q in x.ravel().tolist()]
        expected.append(np.array(flat).reshape(x.shape))
    assert np.array_equal(evaluate(graph, *inputs), np.concatenate(expected, axis=axis))
    plain = in_reals("Concat", attrs, *(x.astype(np.float32) for x in inputs))
    assert np.array_equal(plain, np.concatenate(inputs, axis=axis))


def test_concat_of_one_scale_keeps_every_byte() -> None:
    x = np.arange(-128, 128, dtype=np.int8).reshape(1, 1, 1, 256)
    tables = trivial_tables(2)
    graph = node_of("Concat", ConcatAttrs(3), x.shape, x.shape, tables=tables, rule="i32")
    assert np.array_equal(evaluate(graph, x, x[..., ::-1])[0, 0, 0], np.r_[-128:128, 127:-129:-1])


@STEADY
@given(seed=SEEDS, factors=st.tuples(*[st.sampled_from([1, 2, 4, 8])] * 2), half=st.booleans())
def test_linear_resize_rounds_the_exact_value_half_up(
    seed: int, factors: tuple[int, int], half: bool
) -> None:
    x = random_int8(np.random.default_rng(seed), 1, 3, 2, 2)
    attrs = ResizeAttrs(factors, "linear", half)
    values = exact_more.linear(x[0], attrs)
    assert (1 << weight_bits(attrs)) == 4 * factors[0] * factors[1]
    found = evaluate(node_of("Resize", attrs, x.shape), x).ravel().tolist()
    assert found == [math.floor(value + 0.5) for value in values]
    reals = in_reals("Resize", attrs, x.astype(np.float32))
    assert reals.dtype == np.float32
    np.testing.assert_allclose(reals.ravel(), [float(value) for value in values], atol=1e-5)


@pytest.mark.parametrize("column_first", [False, True])
@pytest.mark.parametrize("block", [1, 2, 3])
def test_blocks_go_to_space_and_back(block: int, column_first: bool) -> None:
    x = np.random.default_rng(0).permutation(2 * 3 * 36)[None].reshape(1, 2, 3, 36) % 251 - 125
    attrs, q = BlockAttrs(block, column_first), x.astype(np.int8)
    space = evaluate(node_of("DepthToSpace", attrs, x.shape), q)
    assert np.array_equal(space[0], exact_more.to_space(q[0], attrs))
    assert np.array_equal(evaluate(node_of("SpaceToDepth", attrs, space.shape), space), q)
    assert np.array_equal(in_reals("DepthToSpace", attrs, x.astype(np.float32)), space)
    assert np.array_equal(in_reals("SpaceToDepth", attrs, space.astype(np.float32)), q)


def test_slices_leave_the_batch_alone() -> None:
    x = random_int8(np.random.default_rng(2), 3, 4, 5, 6)
    attrs = SliceAttrs((0, 1, 0, 2), (1, 3, 5, 3))
    found = evaluate(node_of("Slice", attrs, (1, 4, 5, 6)), x)
    assert np.array_equal(found, x[:, 1:3, :, 2:3])
    assert np.array_equal(in_reals("Slice", attrs, x.astype(np.float32)), found)


def test_nearest_resize_repeats_pixels() -> None:
    x = random_int8(np.random.default_rng(3), 2, 2, 3, 2)
    attrs = ResizeAttrs((3, 2))
    found = evaluate(node_of("Resize", attrs, (1, 2, 3, 2)), x)
    places = np.arange(6)
    assert np.array_equal(found, x[:, places // 3][:, :, places // 2])
    assert np.array_equal(in_reals("Resize", attrs, x.astype(np.float32)), found)


def test_nearest_resize_may_begin_in_the_midst_of_copies() -> None:
    """As asymmetric rounds in ONNX: 0, 1/3, 2/3 to 0, 0, 1, and 0, 1/2 to 0, 1 where ceil does."""
    x = random_int8(np.random.default_rng(3), 2, 2, 3, 2)
    attrs = ResizeAttrs((3, 2), start=(1, 1))
    found = evaluate(node_of("Resize", attrs, (1, 2, 3, 2)), x)
    assert np.array_equal(found, x[:, [0, 0, 1, 1, 1, 1]][:, :, [0, 1, 1, 2, 2, 2]])


@pytest.mark.parametrize(
    ("value", "fill"),
    [(0.0, -3), (0.25, -2), (0.375, -1), (0.125, -3), (-5.0, -23), (99, 127), (-math.inf, -128)],
)
def test_pad_holds_the_integer_of_its_value(value: float, fill: int) -> None:
    """Steps of 1/4 from zero point -3; halves go to even, values beyond int8 saturate."""
    attrs = PadAttrs((0, 1, 0, 2), (0, 0, 3, 1), value)
    x = random_int8(np.random.default_rng(4), 2, *SHAPE[1:])
    found = evaluate(node_of("Pad", attrs, SHAPE, zeros=(-3, -3), scales=(0.25, 0.25)), x)
    expected = np.full((2, 3, 6, 7), fill)
    expected[:, 1:, :3, 2:6] = x
    assert np.array_equal(found, expected)
    reals = in_reals("Pad", attrs, x.astype(np.float32))
    assert reals[0, 0, 0, 0] == value
    assert np.array_equal(reals[:, 1:, :3, 2:6], x)


REALS: dict[str, Callable[[float, float, float], float]] = {
    "sigmoid": lambda x, a, b: 1 / (1 + math.exp(-x)),
    "hard_sigmoid": lambda x, a, b: min(max(a * x + b, 0), 1),
    "tanh": lambda x, a, b: math.tanh(x),
    "swish": lambda x, a, b: x / (1 + math.exp(-x)),
    "hard_swish": lambda x, a, b: x * min(max(x / 6 + 0.5, 0), 1),
    "leaky_relu": lambda x, a, b: x if x >= 0 else a * x,
    "elu": lambda x, a, b: x if x >= 0 else a * (math.exp(x) - 1),
    "softplus": lambda x, a, b: math.log(1 + math.exp(x)),
    "mish": lambda x, a, b: x * math.tanh(math.log(1 + math.exp(x))),
    "erf": lambda x, a, b: math.erf(x),
    "gelu": lambda x, a, b: x * (1 - math.erfc(x / math.sqrt(2)) / 2),
    "gelu_tanh": lambda x, a, b: (
        x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2
    ),
    "exp": lambda x, a, b: math.exp(x),
    "sqrt": lambda x, a, b: math.sqrt(max(x, 0)),
    "abs": lambda x, a, b: abs(x),
    "log": lambda x, a, b: math.log(x) if x > 0 else -math.inf,
    "reciprocal": lambda x, a, b: 1 / x if x else math.inf,
    "power": lambda x, a, b: max(x, 0) ** a,
    "selu": lambda x, a, b: b * (x if x >= 0 else a * (math.exp(x) - 1)),
    "celu": lambda x, a, b: max(x, 0) + min(0, a * (math.exp(x / a) - 1)),
    "softsign": lambda x, a, b: x / (1 + abs(x)),
    "thresholded_relu": lambda x, a, b: x if x > a else 0,
    "floor": lambda x, a, b: math.floor(x),
    "ceil": lambda x, a, b: math.ceil(x),
    "round": lambda x, a, b: round(x),
    "sign": lambda x, a, b: (x > 0) - (x < 0),
    "clip": lambda x, a, b: min(max(x, a), b),
}


@pytest.mark.parametrize("name", functions.FUNCTIONS)
@STEADY
@given(scale=st.floats(1e-3, 0.3), zero=st.integers(-128, 127), step=st.floats(1e-3, 0.5))
def test_table_is_the_function_rounded(name: str, scale: float, zero: int, step: float) -> None:
    attrs = TableAttrs(name, 0.3, 0.4)
    source, target = QuantParams((scale,), zero), QuantParams((step,), 7)
    table = functions.table(attrs, source, target)
    assert (table.dtype, table.shape) == (np.int8, (256,))
    for q, y in zip(range(-128, 128), table.tolist(), strict=True):
        x = float(np.float32(q - zero) * np.float32(scale))  # exact where a function has steps
        ideal = REALS[name](x, 0.3, 0.4) / step + 7
        assert abs(y - min(max(ideal, -128), 127)) <= 0.5 + 2.0**-15, x  # float32's
    x = np.arange(-128, 128, dtype=np.int8).reshape(1, 1, 1, 256)
    graph = node_of("Table", attrs, x.shape, constants={"t": table})
    assert np.array_equal(evaluate(graph, x)[0, 0, 0], table)
    taken = (np.arange(-128, 128) - zero).astype(np.float32) * np.float32(scale)
    reals = in_reals("Table", attrs, taken.reshape(x.shape))
    assert reals.dtype == np.float32
    ideal = np.array([REALS[name](float(v), 0.3, 0.4) for v in taken])
    np.testing.assert_allclose(reals[0, 0, 0], ideal, rtol=1e-4, atol=1e-5)


def test_sigmoid_far_out_does_not_overflow() -> None:
    with np.errstate(all="raise"):
        found = functions.apply(TableAttrs("sigmoid"), np.array([-1e4, 0, 1e4]))
    assert found.tolist() == [0, 0.5, 1]


@STEADY
@given(seed=SEEDS, scales=st.tuples(*[st.floats(0.01, 1.0)] * 3))
def test_subtraction_is_near_the_real_one(seed: int, scales: tuple[float, ...]) -> None:
    """Half a step and what two multipliers of 15 bits lose."""
    rng = np.random.default_rng(seed)
    left, right = random_int8(rng, *SHAPE), random_int8(rng, *SHAPE)
    ratios = np.array(scales[:2]) / scales[2]
    shift = 14 - math.frexp(max(ratios))[1] + 1
    pair = np.minimum(np.rint(ratios * 2.0**shift), 2**15 - 1).astype(np.int64) * [1, -1]
    rounding = (1 << (shift - 1)) + (5 << shift) - int(([3, 3] * pair).sum())
    tables = (pair.astype(np.int32), np.array([rounding], np.int32), np.array([shift], np.uint8))
    graph = node_of("Sub", PointAttrs(), SHAPE, SHAPE, tables=tables, rule="i32", zeros=(3, 5))
    reals = [(x.astype(np.float64) - 3) * s for x, s in zip((left, right), scales, strict=False)]
    ideal = np.clip(in_reals("Sub", PointAttrs(), *reals) / scales[2] + 5, -128, 127)
    lost = 131 * 2 / 2**shift
    assert np.abs(evaluate(graph, left, right) - ideal).max() <= 0.5 + lost


@pytest.mark.parametrize("rule", PRODUCTS)
@STEADY
@given(seed=SEEDS)
def test_products_are_within_the_stated_error(rule: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    left, right = random_int8(rng, *SHAPE), random_int8(rng, *SHAPE)
    real = _representable(rule, rng.uniform(0.002, 0.02, 1))
    m = choose(rule, real, np.array([255 * 255]), -9)
    graph = node_of("Mul", PointAttrs(), SHAPE, SHAPE, **_requantized(m), zeros=(-4, -9))
    reals = [(x.astype(np.float64) + 4) for x in (left, right)]
    ideal = in_reals("Mul", PointAttrs(), *reals) * real - 9
    _check_near(evaluate(graph, left, right), ideal, m.error)


@pytest.mark.parametrize("rule", PRODUCTS)
@STEADY
@given(seed=SEEDS)
def test_prelu_is_within_the_stated_error(rule: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, slope = random_int8(rng, *SHAPE), rng.uniform(0.01, 0.9, 4)
    scale = float(_representable(rule, rng.uniform(0.1, 0.49, 1))[0])
    real = _representable(rule, np.array([1.0, *slope]) * scale)
    m = choose(rule, real, np.full(5, 255), 6)
    graph = node_of("PRelu", PointAttrs(), SHAPE, **_requantized(m), zeros=(2, 6))
    ideal = in_reals("PRelu", PointAttrs(), x.astype(np.float64) - 2, real[1:] / real[0])
    _check_near(evaluate(graph, x), ideal * real[0] + 6, m.error)


@pytest.mark.parametrize("rule", PRODUCTS)
@STEADY
@given(case=transposed_cases(), seed=SEEDS)
def test_transposed_convolution_is_within_the_stated_error(rule: str, case: Any, seed: int) -> None:
    x, weights, attrs = case
    rng = np.random.default_rng(seed)
    count = len(weights)
    bias = rng.integers(-5000, 5000, count).astype(np.int32)
    bound = 5000 + 255 * np.abs(weights.astype(np.int64)).sum(axis=(1, 2, 3))
    real = _representable(rule, rng.uniform(0.5, 2, count) * 200 / bound)
    m = choose(rule, real, bound, 4)
    more = {"zeros": (-20, 4), "constants": {"w": weights, "b": bias}}
    graph = node_of("ConvTranspose2d", attrs, (1, *x.shape[1:]), **_requantized(m), **more)
    wide = (a.astype(np.float64) for a in (x.astype(int) + 20, weights, bias))
    _check_near(evaluate(graph, x), in_reals("ConvTranspose2d", attrs, *wide) * real + 4, m.error)


def _representable(rule: str, real: np.ndarray) -> np.ndarray:
    if rule == "shift":
        return 2.0 ** np.floor(np.log2(real))
    return np.minimum(real, 0.49)


def _requantized(m: Any) -> dict[str, Any]:
    return {"tables": (m.multiplier, m.rounding, m.shift), "rule": m.rule}


def _check_near(found: np.ndarray, ideal: np.ndarray, error: float) -> None:
    """Rounding's half step, and what the integers of the rule lose."""
    assert np.abs(found - np.clip(ideal, -128, 127)).max() <= 0.5 + error + 1e-9

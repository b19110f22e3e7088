"""Activations, alone and as exporters take them apart, and products of two activations."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx_equal import check_equal
from random_models import STEADY, equal, kinds

from deployer.ir.attrs import TableAttrs
from deployer.ir.graph import Graph
from models import ModelBuilder


def number(s: ModelBuilder, value: float) -> str:
    return s.constant(np.float32(value))


def tables(graph: Graph) -> list[TableAttrs]:
    return [node.attrs for node in graph.nodes if node.op == "Table"]


@pytest.mark.parametrize(
    ("kind", "attrs", "table"),
    [
        ("Abs", {}, TableAttrs("abs")),
        ("Elu", {"alpha": 0.5}, TableAttrs("elu", 0.5)),
        ("Elu", {}, TableAttrs("elu", 1.0)),
        ("Erf", {}, TableAttrs("erf")),
        ("HardSigmoid", {"alpha": 0.25, "beta": 0.5}, TableAttrs("hard_sigmoid", 0.25, 0.5)),
        ("HardSwish", {}, TableAttrs("hard_swish")),
        ("LeakyRelu", {"alpha": 0.25}, TableAttrs("leaky_relu", 0.25)),
        ("LeakyRelu", {"alpha": -1.5}, TableAttrs("leaky_relu", -1.5)),
        ("Mish", {}, TableAttrs("mish")),
        ("Sigmoid", {}, TableAttrs("sigmoid")),
        ("Softplus", {}, TableAttrs("softplus")),
        ("Tanh", {}, TableAttrs("tanh")),
        ("Gelu", {}, TableAttrs("gelu")),
        ("Gelu", {"approximate": "tanh"}, TableAttrs("gelu_tanh")),
    ],
)
@pytest.mark.parametrize("shape", [(1, 6), (1, 3, 5), (1, 3, 4, 5), (1, 2, 3, 2, 2)])
def test_functions_of_one_element(
    kind: str, attrs: dict, table: TableAttrs, shape: tuple[int, ...], tmp_path: Path
) -> None:
    s = ModelBuilder(1, opset=20)
    x = s.node("Mul", s.input(*shape), number(s, 3))
    graph = check_equal(s.model(s.node(kind, x, **attrs)), tmp_path)
    assert tables(graph) == [table]


@pytest.mark.parametrize("slope", [(1,), (3, 1, 1), (1, 3, 1, 1), (5,)])
def test_prelu(slope: tuple[int, ...], tmp_path: Path) -> None:
    s = ModelBuilder(2)
    x = s.node("PRelu", s.conv(s.input(1, 3, 4, 5), (3, 3, 1, 1)), s.weight(*slope))
    graph = check_equal(s.model(x), tmp_path)
    expected = ["Conv2d", "Table"] if slope == (1,) else ["Conv2d", "PRelu"]
    assert [kind for kind in kinds(graph) if kind != "Transpose"] == expected


def test_prelu_with_equal_slopes_is_a_leaky_relu(tmp_path: Path) -> None:
    s = ModelBuilder(3)
    x = s.node("PRelu", s.input(1, 3, 4, 5), s.constant(np.full((3, 1, 1), 0.5, np.float32)))
    assert tables(check_equal(s.model(x), tmp_path)) == [TableAttrs("leaky_relu", 0.5)]


def sigmoid_times(s: ModelBuilder, x: str) -> str:
    return s.node("Mul", s.node("Sigmoid", x), x)


def hard_sigmoid_times(s: ModelBuilder, x: str) -> str:
    """The legacy PyTorch exporter."""
    return s.node("Mul", x, s.node("HardSigmoid", x, alpha=1 / 6, beta=0.5))


def paddle(s: ModelBuilder, x: str) -> str:
    y = s.node("Clip", s.node("Add", x, number(s, 3)), number(s, 0), number(s, 6))
    return s.node("Div", s.node("Mul", x, y), number(s, 6))


def keras(s: ModelBuilder, x: str) -> str:
    y = s.node("Clip", s.node("Add", x, number(s, 3)), number(s, 0), number(s, 6))
    return s.node("Mul", s.node("Mul", y, number(s, 1 / 6)), x)


def keras_before(s: ModelBuilder, x: str) -> str:
    """The sixth multiplied to the linear side."""
    y = s.node("Min", s.node("Relu", s.node("Add", number(s, 3), x)), number(s, 6))
    return s.node("Mul", y, s.node("Mul", x, number(s, 1 / 6)))


def erf_gelu(s: ModelBuilder, x: str) -> str:
    y = s.node("Erf", s.node("Div", x, number(s, np.sqrt(2))))
    y = s.node("Mul", x, s.node("Add", y, number(s, 1)))
    return s.node("Mul", y, number(s, 0.5))


def erf_gelu_keras(s: ModelBuilder, x: str) -> str:
    y = s.node("Add", s.node("Erf", s.node("Mul", x, number(s, np.sqrt(0.5)))), number(s, 1))
    return s.node("Mul", s.node("Mul", number(s, 0.5), x), y)


def mish(s: ModelBuilder, x: str) -> str:
    return s.node("Mul", x, s.node("Tanh", s.node("Softplus", x)))


@pytest.mark.parametrize(
    ("spell", "function"),
    [
        (sigmoid_times, "swish"),
        (hard_sigmoid_times, "hard_swish"),
        (paddle, "hard_swish"),
        (keras, "hard_swish"),
        (keras_before, "hard_swish"),
        (erf_gelu, "gelu"),
        (erf_gelu_keras, "gelu"),
        (mish, "mish"),
    ],
)
@pytest.mark.parametrize("rank", [2, 3, 4])
def test_spellings_become_one_table(
    spell: Callable[[ModelBuilder, str], str], function: str, rank: int, tmp_path: Path
) -> None:
    s = ModelBuilder(4)
    if rank == 2:
        x = s.gemm(s.input(1, 5), 5, 7)
    else:
        x = s.conv(s.input(1, 3, *(6, 5)[: rank - 2]), (4, 3, *(3, 3)[: rank - 2]))
    graph = check_equal(s.model(spell(s, x)), tmp_path)
    assert [table.function for table in tables(graph)] == [function]
    expected = ["FullyConnected" if rank == 2 else "Conv2d", "Table"]
    assert [kind for kind in kinds(graph) if kind != "Transpose"] == expected


@STEADY
@given(
    shift=st.sampled_from([3.0, 2.0]),
    top=st.sampled_from([6.0, 5.0, 3.0]),
    low=st.sampled_from([0.0, -1.0]),
    factor=st.sampled_from([1.0, 1 / 6, 2.0, -1.0]),
    scale=st.sampled_from([1.0, 0.5]),
)
def test_what_only_looks_like_hard_swish(
    shift: float, top: float, low: float, factor: float, scale: float
) -> None:
    """Any bounds, shifts and factors: the result is right, one table or not."""
    s = ModelBuilder(5)
    x = s.conv(s.input(1, 3, 6, 5), (4, 3, 1, 1))
    y = s.node("Add", s.node("Mul", x, number(s, scale)), number(s, shift))
    y = s.node("Clip", y, number(s, low), number(s, top))
    x = s.node("Mul", x, s.node("Mul", y, number(s, factor)))
    graph = equal(s.model(x))
    known = (shift, top, low, scale) in ((3.0, 6.0, 0.0, 1.0), (1.5, 3.0, 0.0, 0.5))
    assert bool(tables(graph)) == (known and factor > 0)


def test_a_gate_whose_pieces_are_returned_stays_whole(tmp_path: Path) -> None:
    s = ModelBuilder(6)
    x = s.conv(s.input(1, 3, 6, 5), (4, 3, 1, 1))
    y = s.node("Sigmoid", x)
    graph = check_equal(s.model(s.node("Mul", x, y), y), tmp_path)
    assert sorted(table.function for table in tables(graph)) == ["sigmoid", "swish"]


@pytest.mark.parametrize("swapped", [False, True])
def test_squeeze_and_excite(swapped: bool, tmp_path: Path) -> None:
    s = ModelBuilder(7)
    x = s.relu(s.conv(s.input(1, 3, 6, 5), (8, 3, 1, 1)))
    y = s.relu(s.conv(s.node("GlobalAveragePool", x), (2, 8, 1, 1)))
    y = s.node("HardSigmoid", s.conv(y, (8, 2, 1, 1)), alpha=1 / 6)
    graph = check_equal(s.model(s.node("Mul", *([y, x] if swapped else [x, y]))), tmp_path)
    assert kinds(graph) == ["Conv2d", "AveragePool", "Conv2d", "Conv2d", "Table", "Mul"]
    shapes = graph.shapes(graph.nodes[-1].inputs)
    assert shapes == ((1, 6, 5, 8), (1, 1, 1, 8))


def test_squeeze_and_excite_by_dense_layers(tmp_path: Path) -> None:
    s = ModelBuilder(8)
    x = s.relu(s.conv(s.input(1, 3, 6, 5), (8, 3, 1, 1)))
    y = s.gemm(s.node("Flatten", s.node("GlobalAveragePool", x)), 8, 8)
    y = s.node("Unsqueeze", s.node("Sigmoid", y), s.constant(np.int64([2, 3])))
    graph = check_equal(s.model(s.node("Mul", x, y)), tmp_path)
    assert kinds(graph) == ["Conv2d", "AveragePool", "FullyConnected", "Table", "Mul"]


def test_a_gate_in_clip_pieces_joins_the_layer_before(tmp_path: Path) -> None:
    """relu6(x + 3) / 6 behind a convolution is its bias and its bounds."""
    s = ModelBuilder(9)
    x = s.relu(s.conv(s.input(1, 3, 6, 5), (8, 3, 1, 1)))
    y = s.conv(s.node("GlobalAveragePool", x), (8, 8, 1, 1))
    y = s.node("Clip", s.node("Add", y, number(s, 3)), number(s, 0), number(s, 6))
    y = s.node("Mul", y, number(s, 1 / 6))
    graph = check_equal(s.model(s.node("Mul", x, y)), tmp_path)
    assert kinds(graph) == ["Conv2d", "AveragePool", "Conv2d", "Mul"]
    assert graph.nodes[2].attrs.clamp.low == 0
    assert graph.nodes[2].attrs.clamp.high == pytest.approx(1)


@pytest.mark.parametrize("kind", ["Add", "Sub", "Mul"])
@pytest.mark.parametrize("shape", [(1, 6), (1, 3, 5), (1, 3, 4, 5), (1, 2, 3, 2, 2)])
def test_pairs_of_one_shape(kind: str, shape: tuple[int, ...], tmp_path: Path) -> None:
    s = ModelBuilder(10)
    x = s.node(kind, s.input(*shape), s.input(*shape, name="second"))
    graph = check_equal(s.model(s.relu(x)), tmp_path)
    assert kind in kinds(graph)
    assert "Rescale" not in kinds(graph)


@pytest.mark.parametrize("gate", [(1, 3, 1, 1), (1, 1, 4, 1), (1, 1, 1, 5)])
def test_gates_along_any_axis(gate: tuple[int, ...], tmp_path: Path) -> None:
    s = ModelBuilder(11)
    x = s.node("Mul", s.input(*gate, name="gate"), s.input(1, 3, 4, 5))
    assert "Mul" in kinds(check_equal(s.model(x), tmp_path))


@pytest.mark.parametrize("kind", ["Max", "Min"])
def test_bounds_by_max_and_min(kind: str, tmp_path: Path) -> None:
    s = ModelBuilder(12)
    x = s.node(kind, number(s, 0.25), s.conv(s.input(1, 3, 6, 5), (8, 3, 1, 1)))
    (conv,) = check_equal(s.model(x), tmp_path).nodes
    assert (conv.attrs.clamp.low, conv.attrs.clamp.high) == (
        (0.25, None) if kind == "Max" else (None, 0.25)
    )


@STEADY
@given(data=st.data())
def test_constants_along_any_axis(data: st.DataObject) -> None:
    shape = [1, *data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))]
    axis = data.draw(st.integers(1, len(shape) - 1))
    kind = data.draw(st.sampled_from(["Add", "Sub", "Mul", "Div"]))
    s = ModelBuilder(13)
    constant = s.rng.uniform(0.5, 2, [n if i == axis else 1 for i, n in enumerate(shape)])
    operands = [s.node("Tanh", s.input(*shape)), s.constant(constant.astype(np.float32))]
    if kind != "Div" and data.draw(st.booleans()):
        operands.reverse()
    equal(s.model(s.node(kind, *operands)))

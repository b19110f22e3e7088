"""Arithmetic of operands of any shapes: constants of many axes, activations that are repeated."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx_equal import check_equal
from random_models import STEADY, equal, kinds

from exporters import Keras, Style
from models import ModelBuilder

BINARY = ["Add", "Sub", "Mul", "Div", "Max", "Min"]
CONSTANTS = [(1, 1, 4, 5), (1, 3, 4, 5), (4, 5), (3, 1, 5), (1, 3, 4, 1), (5,), (3, 4, 5)]


def numbers(s: ModelBuilder, shape: tuple[int, ...]) -> str:
    """Constants away from 0, so that they may be divisors."""
    array = s.rng.uniform(0.5, 2, shape) * s.rng.choice([-1, 1], shape)
    return s.constant(array.astype(np.float32))


@pytest.mark.parametrize("kind", BINARY)
@pytest.mark.parametrize("constant", CONSTANTS)
def test_constants_of_any_axes(kind: str, constant: tuple[int, ...], tmp_path: Path) -> None:
    s = ModelBuilder(1)
    x = s.node(kind, s.input(1, 3, 4, 5), numbers(s, constant))
    graph = check_equal(s.model(x), tmp_path)
    assert not {"Add", "Sub", "Mul"} & set(kinds(graph))


@pytest.mark.parametrize("kind", ["Add", "Sub", "Mul", "Max"])
def test_constants_on_the_left(kind: str, tmp_path: Path) -> None:
    s = ModelBuilder(2)
    check_equal(s.model(s.node(kind, numbers(s, (1, 1, 4, 5)), s.input(1, 3, 4, 5))), tmp_path)


def test_a_constant_of_all_axes_moves_nothing(tmp_path: Path) -> None:
    s = ModelBuilder(3)
    graph = check_equal(
        s.model(s.node("Add", s.input(1, 3, 4, 5), numbers(s, (1, 3, 4, 5)))), tmp_path
    )
    assert kinds(graph) == ["DepthwiseConv2d"]


def torchscript(s: Style, x: str) -> str:
    """A parameter of shape (1, T, C), behind tokens of an image."""
    return s.node("Add", x, s.constant(s.rng.normal(size=(1, 16, 8)).astype(np.float32)))


def literal(s: Style, x: str) -> str:
    """Paddle and TorchScript constants: a node, the activation second."""
    return s.node("Add", s.literal(s.rng.normal(size=(1, 16, 8)).astype(np.float32)), x)


def sliced(s: Style, x: str) -> str:
    """A table of positions of which the first are taken: folded."""
    table = s.constant(s.rng.normal(size=(20, 8)).astype(np.float32))
    part = s.node("Slice", table, s.ints(0), s.ints(16), s.ints(0))
    return s.node("Add", x, s.node("Unsqueeze", part, s.ints(0)))


def tf2onnx(s: Style, x: str) -> str:
    """Of rank 2, without the batch."""
    return s.node("Add", x, s.constant(s.rng.normal(size=(16, 8)).astype(np.float32)))


@pytest.mark.parametrize("style", [torchscript, literal, sliced, tf2onnx])
def test_positions_of_tokens(style: Callable[[Style, str], str], tmp_path: Path) -> None:
    s = Style(4, opset=17)
    x = s.conv(s.input(1, 3, 16, 16), (8, 3, 4, 4), strides=[4, 4])
    x = s.node("Transpose", s.node("Reshape", x, s.ints(1, 8, 16)), perm=[0, 2, 1])
    graph = check_equal(s.model(style(s, x), checked=False), tmp_path)
    assert kinds(graph).count("DepthwiseConv2d") == 1


def test_positions_of_an_image_in_nhwc(tmp_path: Path) -> None:
    s = Keras(5, opset=15)
    x = s.layer(s.input(1, 8, 8, 3), (4, 3, 3, 3))
    x = s.node("Add", x, s.constant(s.rng.normal(size=(1, 6, 6, 1)).astype(np.float32)))
    check_equal(s.model(s.layer(x, (2, 4, 1, 1))), tmp_path)


@pytest.mark.parametrize("kind", BINARY)
@pytest.mark.parametrize(
    "small",
    [(1, 3, 1, 1), (1, 1, 4, 5), (1, 1, 1, 5), (1, 3, 4, 1), (1, 1, 1, 1), (1, 5), (1, 4, 5)],
)
@pytest.mark.parametrize("swapped", [False, True])
def test_activations_that_are_repeated(
    kind: str, small: tuple[int, ...], swapped: bool, tmp_path: Path
) -> None:
    s = ModelBuilder(6)
    operands = [s.input(1, 3, 4, 5), s.input(*small, name="second")]
    if kind == "Div":  # away from the pole, by either operand
        operands = [s.node("Exp", x) for x in operands]
    check_equal(s.model(s.node(kind, *operands[:: -1 if swapped else 1])), tmp_path)


def test_both_operands_are_repeated(tmp_path: Path) -> None:
    s = ModelBuilder(7)
    x = s.node("Add", s.input(1, 1, 5), s.input(1, 4, 1, name="second"))
    assert kinds(check_equal(s.model(x), tmp_path)).count("Resize") == 2


def test_spatial_attention_of_cbam(tmp_path: Path) -> None:
    """Mean and largest over the channels, a convolution, a gate of (1, 1, H, W)."""
    s = ModelBuilder(8, opset=13)
    x = s.relu(s.conv(s.input(1, 3, 8, 8), (6, 3, 3, 3)))
    pooled = [s.node(kind, x, axes=[1], keepdims=1) for kind in ("ReduceMean", "ReduceMax")]
    gate = s.conv(s.node("Concat", *pooled, axis=1), (1, 2, 3, 3), pads=[1, 1, 1, 1])
    graph = check_equal(s.model(s.node("Mul", x, s.node("Sigmoid", gate))), tmp_path)
    assert kinds(graph).count("Mul") == 1


@pytest.mark.parametrize("kind", ["Sum", "Mean", "Max", "Min"])
@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_many_operands(kind: str, count: int, tmp_path: Path) -> None:
    s = ModelBuilder(9)
    x = s.relu(s.conv(s.input(1, 3, 4, 5), (4, 3, 1, 1)))
    operands = [s.conv(x, (4, 4, 1, 1)) for _ in range(count)]
    graph = check_equal(s.model(s.node(kind, *operands)), tmp_path)
    op = "Add" if kind in ("Sum", "Mean") else "Maximum"
    assert kinds(graph).count(op) == count - 1


@pytest.mark.parametrize("kind", ["Sum", "Mean", "Max", "Min"])
def test_many_operands_some_of_them_constant(kind: str, tmp_path: Path) -> None:
    s = ModelBuilder(10)
    x = s.conv(s.input(1, 3, 4, 5), (3, 3, 1, 1))
    first, second = numbers(s, (3, 1, 1)), numbers(s, ())
    check_equal(s.model(s.node(kind, first, second, x, numbers(s, (4, 5)), x)), tmp_path)


def test_softsign_of_pytorch(tmp_path: Path) -> None:
    """x / (1 + |x|), in pieces."""
    s = ModelBuilder(11)
    x = s.conv(s.input(1, 3, 4, 5), (4, 3, 1, 1))
    y = s.node("Add", s.node("Abs", x), s.constant(np.float32(1)))
    graph = check_equal(s.model(s.node("Div", x, y)), tmp_path)
    assert [n.attrs.function for n in graph.nodes if n.op == "Table"] == ["abs", "reciprocal"]


@STEADY
@given(data=st.data())
def test_any_two_shapes(data: st.DataObject) -> None:
    """Numpy's rules, with a batch of 1."""
    shape = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    first, second = ([data.draw(st.sampled_from([1, size])) for size in shape] for _ in range(2))
    constant = data.draw(st.booleans())
    s = ModelBuilder(12)
    x = s.input(1, *first)
    if constant:
        y = numbers(s, tuple(second[data.draw(st.integers(0, len(second))) :]))
    else:
        y = s.input(1, *second, name="second")
    kind = data.draw(st.sampled_from(["Add", "Sub", "Mul", "Max", "Min"]))
    equal(s.model(s.node(kind, x, y)))

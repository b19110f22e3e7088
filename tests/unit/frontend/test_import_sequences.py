"""Dense layers over the elements of sequences, as exporters write them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx_equal import check_equal, imported
from random_models import STEADY, equal, kinds

from deployer.errors import ModelError
from exporters import Style
from models import ModelBuilder


def torchscript(s: Style, x: str, inputs: int, outputs: int) -> str:
    """The weights by a Transpose node, the bias on the left."""
    weights = s.node("Transpose", s.weight(outputs, inputs), perm=[1, 0])
    return s.node("Add", s.weight(outputs), s.node("MatMul", x, weights))


def dynamo(s: Style, x: str, inputs: int, outputs: int) -> str:
    """The weights as they are needed, the bias on the right."""
    return s.node("Add", s.node("MatMul", x, s.weight(inputs, outputs)), s.weight(outputs))


def tf2onnx(s: Style, x: str, inputs: int, outputs: int) -> str:
    """Rows of rank 2 between two Reshapes, the bias behind the second."""
    x = s.node("Reshape", x, s.ints(-1, inputs))
    x = s.node("MatMul", x, s.weight(inputs, outputs))
    x = s.node("Reshape", x, s.ints(1, -1, outputs))
    return s.node("Add", x, s.weight(outputs))


def keras(s: Style, x: str, inputs: int, outputs: int) -> str:
    """The target put together from the shape at run time."""
    rows = s.node("Reshape", x, s.ints(-1, inputs))
    rows = s.node("Add", s.node("MatMul", rows, s.weight(inputs, outputs)), s.weight(outputs))
    return s.view(rows, 1, -1, outputs)


def linear_of_rows(s: Style, x: str, inputs: int, outputs: int) -> str:
    """view, addmm, view: Gemm of rank 2."""
    rows = s.node("Squeeze", x, s.ints(0))
    return s.node("Unsqueeze", s.gemm(rows, inputs, outputs), s.ints(0))


STYLES = [torchscript, dynamo, tf2onnx, keras, linear_of_rows]
Layer = Callable[[Style, str, int, int], str]


@pytest.mark.parametrize("style", STYLES)
def test_a_linear_layer_is_one_convolution(style: Layer, tmp_path: Path) -> None:
    s = Style(1, opset=18)
    x = s.relu(style(s, s.input(1, 7, 5), 5, 6))
    graph = check_equal(s.model(x, checked=False), tmp_path)
    assert [kind for kind in kinds(graph) if kind != "Transpose"] == ["Conv2d"]
    assert graph.nodes[-1].op == "Reshape" or kinds(graph)[-1] in ("Conv2d", "Transpose")


@pytest.mark.parametrize("style", STYLES)
def test_layers_that_follow_move_nothing_between(style: Layer, tmp_path: Path) -> None:
    """An MLP over tokens, with an activation and a residual."""
    s = Style(2, opset=20)
    x = s.input(1, 7, 5)
    y = s.node("Gelu", style(s, x, 5, 12))
    y = style(s, y, 12, 5)
    graph = check_equal(s.model(s.node("Add", x, y), checked=False), tmp_path)
    moving = {"Transpose": 0, **{kind: kinds(graph).count(kind) for kind in kinds(graph)}}
    assert moving == {"Transpose": 0, "Conv2d": 2, "Table": 1, "Add": 1}


@pytest.mark.parametrize("rank", [3, 4, 5])
@pytest.mark.parametrize("lead", [0, 1])
def test_matrices_of_every_rank(rank: int, lead: int, tmp_path: Path) -> None:
    """Axes of 1 before the matrix change nothing."""
    s = ModelBuilder(3)
    shape = (*(1, 2, 3, 4)[: rank - 1], 6)
    weights = s.weight(*(1,) * lead, 6, 5)
    graph = check_equal(s.model(s.node("MatMul", s.input(*shape), weights)), tmp_path)
    assert kinds(graph).count("Conv2d") == 1


@pytest.mark.parametrize("shape", [(1, 6, 5), (1, 3, 6, 5), (1, 6, 1)])
def test_a_matrix_on_the_left_mixes_the_axis_before_the_last(
    shape: tuple[int, ...], tmp_path: Path
) -> None:
    s = ModelBuilder(4)
    x = s.node("MatMul", s.weight(4, 6), s.input(*shape))
    assert set(kinds(check_equal(s.model(x), tmp_path))) <= {
        "Conv2d",
        "Transpose",
        "FullyConnected",
    }


@pytest.mark.parametrize("shape", [(1, 1, 6), (1, 1, 1, 6)])
def test_one_row_is_a_dense_layer(shape: tuple[int, ...], tmp_path: Path) -> None:
    s = ModelBuilder(5)
    x = s.node("Add", s.node("MatMul", s.input(*shape), s.weight(6, 4)), s.weight(4))
    assert "FullyConnected" in kinds(check_equal(s.model(x), tmp_path))


def test_a_mixer_block(tmp_path: Path) -> None:
    """Patches, tokens mixed along one axis and channels along the other, pooled, a dense head."""
    s = Style(6, opset=20)
    x = s.conv(s.input(1, 3, 16, 16), (8, 3, 4, 4), strides=[4, 4])
    x = s.node("Transpose", s.node("Reshape", x, s.ints(1, 8, 16)), perm=[0, 2, 1])
    y = s.node("Transpose", x, perm=[0, 2, 1])
    y = dynamo(s, s.node("Gelu", dynamo(s, y, 16, 6)), 6, 16)
    x = s.node("Add", x, s.node("Transpose", y, perm=[0, 2, 1]))
    x = s.node("Add", x, torchscript(s, s.node("Gelu", torchscript(s, x, 8, 12)), 12, 8))
    x = s.node("ReduceMean", x, s.constant(np.int64([1])), keepdims=0)
    graph = check_equal(s.model(s.gemm(x, 8, 3)), tmp_path)
    assert kinds(graph).count("Conv2d") == 5
    assert kinds(graph).count("Transpose") <= 4


def test_what_two_layers_read_turned_is_turned_once(tmp_path: Path) -> None:
    s = Style(10, opset=18)
    x = s.conv(s.input(1, 3, 4, 5), (6, 3, 1, 1))
    turned = [s.node("Transpose", s.node("Reshape", x, s.ints(1, 6, 20)), perm=[0, 2, 1])]
    turned.append(s.node("Transpose", s.node("Reshape", x, s.ints(1, 6, 20)), perm=[0, 2, 1]))
    mixed = [s.node("MatMul", s.weight(7, 20), name) for name in turned]
    graph = check_equal(s.model(s.node("Softmax", s.node("Sub", *mixed)), checked=False), tmp_path)
    assert kinds(graph).count("Transpose") == 2  # one of them for the result


def test_rows_with_softmax_and_a_turned_matrix(tmp_path: Path) -> None:
    """Axes are counted with the batch in front."""
    s = Style(7, opset=18)
    x = s.node("Reshape", s.input(1, 7, 5), s.ints(7, 5))
    x = s.node("Softmax", s.node("MatMul", x, s.weight(5, 6)), axis=1)
    x = s.node("MatMul", s.node("Transpose", x, perm=[1, 0]), s.weight(7, 4))
    x = s.node("Concat", x, x, axis=0)
    check_equal(s.model(s.node("Reshape", x, s.ints(1, 12, 4)), checked=False), tmp_path)


@STEADY
@given(
    rows=st.integers(1, 6),
    widths=st.lists(st.integers(1, 7), min_size=2, max_size=4),
    styles=st.lists(st.sampled_from(STYLES), min_size=3, max_size=3),
)
def test_any_chain_of_layers(rows: int, widths: list[int], styles: list[Layer]) -> None:
    s = Style(8, opset=18)
    x = s.input(1, rows, widths[0])
    for style, inputs, outputs in zip(styles, widths, widths[1:], strict=False):
        x = s.relu(style(s, x, inputs, outputs))
    equal(s.model(x, checked=False))


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (
            lambda s, x: s.node("MatMul", s.node("Unsqueeze", x, s.ints(1)), s.weight(2, 5, 5)),
            r"\[1, 1, 5, 5\] and \[2, 5, 5\]",
        ),
        (lambda s, x: s.node("MatMul", x, s.weight(5)), r"\[1, 5, 5\] and \[5\]"),
        (
            lambda s, x: s.node("MatMul", s.node("Squeeze", x, s.ints(0)), s.weight(5, 4)),
            "the batch of 1 in axis 0",
        ),
    ],
)
def test_refusals(build: Callable[[Style, str], str], message: str, tmp_path: Path) -> None:
    s = Style(9, opset=18)
    with pytest.raises(ModelError, match=message):
        imported(s.model(build(s, s.input(1, 5, 5)), checked=False), tmp_path)

"""Products of two activations, as attention has them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from onnx_equal import check_equal, imported

from deployer.errors import ModelError
from deployer.ir import Graph
from exporters import Style


def heads(s: Style, x: str, count: int, perm: list[int]) -> str:
    """(1, T, C) as (1, heads, T, C / heads) in the order of ``perm``."""
    return s.node("Transpose", s.node("Reshape", x, s.ints(0, 0, count, -1)), perm=perm)


def projected(s: Style, x: str, channels: int) -> str:
    return s.node("Add", s.node("MatMul", x, s.weight(channels, channels)), s.weight(channels))


def attention(s: Style, x: str, channels: int, count: int, *, turned: bool) -> str:
    """``turned``: K by one Transpose, as torch's dynamo exporter joins the two of the other."""
    q, k, v = (projected(s, x, channels) for _ in range(3))
    q, v = (heads(s, each, count, [0, 2, 1, 3]) for each in (q, v))
    if turned:
        k = heads(s, k, count, [0, 2, 3, 1])
    else:
        k = s.node("Transpose", heads(s, k, count, [0, 2, 1, 3]), perm=[0, 1, 3, 2])
    scores = s.node("Mul", s.node("MatMul", q, k), s.constant(np.float32(0.35)))
    x = s.node("MatMul", s.node("Softmax", scores, axis=-1), v)
    x = s.node("Reshape", s.node("Transpose", x, perm=[0, 2, 1, 3]), s.ints(0, 0, channels))
    return projected(s, x, channels)


def products(graph: Graph) -> list[tuple[tuple[int, ...], ...]]:
    """The shapes of the operands of each MatMul."""
    return [graph.shapes(node.inputs) for node in graph.nodes if node.op == "MatMul"]


@pytest.mark.parametrize("turned", [False, True])
def test_attention_is_two_products(turned: bool, tmp_path: Path) -> None:
    s = Style(1, opset=18)
    graph = check_equal(
        s.model(attention(s, s.input(1, 7, 12), 12, 3, turned=turned), checked=False), tmp_path
    )
    assert products(graph) == [((1, 3, 7, 4), (1, 3, 7, 4)), ((1, 3, 7, 7), (1, 3, 4, 7))]


def test_the_scale_of_attention_is_part_of_its_product(tmp_path: Path) -> None:
    s = Style(1, opset=18)
    graph = check_equal(
        s.model(attention(s, s.input(1, 7, 12), 12, 3, turned=True), checked=False), tmp_path
    )
    first = next(node for node in graph.nodes if node.op == "MatMul")
    assert first.attrs.scale == pytest.approx(0.35)
    assert "DepthwiseConv2d" not in [node.op for node in graph.nodes]


def test_a_negative_scale_stays_a_layer(tmp_path: Path) -> None:
    s = Style(1)
    x = s.input(1, 3, 4, 5)
    y = s.node("MatMul", x, s.node("Transpose", s.relu(x), perm=[0, 1, 3, 2]))
    graph = check_equal(s.model(s.node("Mul", y, s.constant(np.float32(-2)))), tmp_path)
    assert [node.attrs.scale for node in graph.nodes if node.op == "MatMul"] == [1.0]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((1, 5, 4), (1, 4, 6)),
        ((1, 3, 5, 4), (1, 3, 4, 6)),
        ((1, 2, 3, 5, 4), (1, 2, 3, 4, 6)),
        ((1, 3, 5, 4), (1, 1, 4, 6)),
        ((1, 1, 5, 4), (1, 3, 4, 6)),
        ((1, 3, 5, 4), (1, 4, 6)),
        ((1, 5, 4), (1, 3, 4, 6)),
        ((1, 1, 4), (1, 4, 1)),
    ],
)
def test_matrices_side_by_side(
    left: tuple[int, ...], right: tuple[int, ...], tmp_path: Path
) -> None:
    """As many on both sides, or one for all on either."""
    s = Style(2)
    operands = [
        s.node("Tanh", s.input(*shape, name=name)) for name, shape in (("a", left), ("b", right))
    ]
    graph = check_equal(s.model(s.node("MatMul", *operands)), tmp_path)
    assert len(products(graph)) == 1


def test_an_activation_times_itself(tmp_path: Path) -> None:
    """The Gram matrix of a style, or of channel attention."""
    s = Style(3)
    x = s.node("Reshape", s.conv(s.input(1, 3, 6, 5), (4, 3, 1, 1)), s.ints(1, 4, 30))
    graph = check_equal(
        s.model(s.node("MatMul", x, s.node("Transpose", x, perm=[0, 2, 1]))), tmp_path
    )
    assert products(graph) == [((1, 1, 4, 30), (1, 1, 4, 30))]


def test_other_broadcasts_are_refused_with_words(tmp_path: Path) -> None:
    s = Style(4)
    operands = [s.input(1, 2, 1, 5, 4, name="a"), s.input(1, 1, 3, 4, 6, name="b")]
    with pytest.raises(ModelError) as refusal:
        imported(s.model(s.node("MatMul", *operands)), tmp_path)
    assert "[1, 2, 1, 5, 4] and [1, 1, 3, 4, 6]" in str(refusal.value)
    assert "Expand" in str(refusal.value)

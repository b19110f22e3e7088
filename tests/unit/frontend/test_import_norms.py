"""Normalizations, as operators and as exporters write them out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from onnx_equal import check_equal, imported

from deployer.errors import ModelError
from deployer.ir import Graph, Node
from exporters import Style

EPSILON = np.float32(1e-3)
Norm = Callable[[Style, str, int, int], str]


def operator(s: Style, x: str, axis: int, size: int) -> str:
    """The operator of opset 17 along the last axis; along others between two Transposes."""
    if axis == 2:
        return s.node("LayerNormalization", x, s.weight(size), s.weight(size), epsilon=1e-3)
    x = s.node("Transpose", x, perm=[0, 2, 3, 1])
    x = s.node("LayerNormalization", x, s.weight(size), s.weight(size), epsilon=1e-3)
    return s.node("Transpose", x, perm=[0, 3, 1, 2])


def torchscript(s: Style, x: str, axis: int, size: int) -> str:
    """Before opset 17: ReduceMean, Sub, Pow, ReduceMean, Add, Sqrt, Div, Mul, Add."""
    difference = s.node("Sub", x, s.node("ReduceMean", x, axes=[axis]))
    square = s.node("Pow", difference, s.constant(np.float32(2)))
    variance = s.node("Add", s.node("ReduceMean", square, axes=[axis]), s.constant(EPSILON))
    normal = s.node("Div", difference, s.node("Sqrt", variance))
    return s.node("Add", s.node("Mul", normal, vector(s, axis, size)), vector(s, axis, size))


def first_channels(s: Style, x: str, axis: int, size: int) -> str:
    """ConvNeXt's: the difference twice, the vectors in front."""
    mean = s.node("ReduceMean", x, axes=[axis])
    square = s.node("Pow", s.node("Sub", x, mean), s.constant(np.float32(2)))
    variance = s.node("Add", s.node("ReduceMean", square, axes=[axis]), s.constant(EPSILON))
    normal = s.node("Div", s.node("Sub", x, mean), s.node("Sqrt", variance))
    return s.node("Add", s.node("Mul", vector(s, axis, size), normal), vector(s, axis, size))


def keras(s: Style, x: str, axis: int, size: int) -> str:
    """By way of tf2onnx: x * factor + (offset - mean * factor)."""
    mean = s.node("ReduceMean", x, axes=[axis])
    difference = s.node("Sub", x, mean)
    square = s.node("ReduceMean", s.node("Mul", difference, difference), axes=[axis])
    root = s.node("Sqrt", s.node("Add", square, s.constant(EPSILON)))
    factor = s.node("Mul", s.node("Reciprocal", root), vector(s, axis, size))
    rest = s.node("Sub", vector(s, axis, size), s.node("Mul", mean, factor))
    return s.node("Add", s.node("Mul", x, factor), rest)


def keras_3(s: Style, x: str, axis: int, size: int) -> str:
    """-mean * factor + offset, the root as a power."""
    mean = s.node("ReduceMean", x, axes=[axis])
    difference = s.node("Sub", x, mean)
    square = s.node("ReduceMean", s.node("Mul", difference, difference), axes=[axis])
    variance = s.node("Add", s.constant(EPSILON), square)
    inverse = s.node("Pow", variance, s.constant(np.float32(-0.5)))
    factor = s.node("Mul", vector(s, axis, size), inverse)
    rest = s.node("Add", s.node("Mul", s.node("Neg", mean), factor), vector(s, axis, size))
    return s.node("Add", s.node("Mul", x, factor), rest)


def without_vectors(s: Style, x: str, axis: int, size: int) -> str:
    """x / root - mean / root, and nothing behind."""
    mean = s.node("ReduceMean", x, axes=[axis])
    difference = s.node("Sub", mean, x)
    square = s.node("ReduceMean", s.node("Mul", difference, difference), axes=[axis])
    root = s.node("Sqrt", s.node("Add", square, s.constant(EPSILON)))
    inverse = s.node("Div", s.constant(np.float32(1)), root)
    return s.node("Sub", s.node("Mul", inverse, x), s.node("Mul", inverse, mean))


def vector(s: Style, axis: int, size: int) -> str:
    """Along ``axis`` of four, or along the last of three."""
    return s.weight(size, 1, 1) if axis == 1 else s.weight(size)


STYLES = [operator, torchscript, first_channels, keras, keras_3, without_vectors]


def norms(graph: Graph) -> list[Node]:
    return [node for node in graph.nodes if node.op in ("LayerNorm", "GroupNorm")]


def others(graph: Graph) -> set[str]:
    return {node.op for node in graph.nodes} - {"LayerNorm", "GroupNorm", "Reshape", "Conv2d"}


@pytest.mark.parametrize("style", STYLES)
def test_of_the_channels_of_an_image(style: Norm, tmp_path: Path) -> None:
    """It lies where the convolutions want it: no Transpose is left."""
    s = Style(1, opset=17)
    x = style(s, s.conv(s.input(1, 3, 6, 5), (8, 3, 3, 3)), 1, 8)
    graph = check_equal(s.model(s.conv(x, (4, 8, 1, 1))), tmp_path)
    assert [node.op for node in graph.nodes] == ["Conv2d", "LayerNorm", "Conv2d"]


@pytest.mark.parametrize("style", STYLES)
def test_of_the_features_of_a_sequence(style: Norm, tmp_path: Path) -> None:
    s = Style(2, opset=17)
    x = s.node("MatMul", s.input(1, 7, 6), s.weight(6, 10))
    graph = check_equal(s.model(style(s, x, 2, 10)), tmp_path)
    assert [node.attrs.epsilon for node in norms(graph)] == [pytest.approx(1e-3)]
    assert not others(graph)


def test_a_difference_from_something_else_is_left_as_it_is(tmp_path: Path) -> None:
    s = Style(3, opset=17)
    x = s.conv(s.input(1, 3, 6, 5), (8, 3, 3, 3))
    wrong = s.node("ReduceMean", s.relu(x), axes=[1])
    square = s.node("Pow", s.node("Sub", x, wrong), s.constant(np.float32(2)))
    variance = s.node("Add", s.node("ReduceMean", square, axes=[1]), s.constant(EPSILON))
    normal = s.node("Div", s.node("Sub", x, wrong), s.node("Sqrt", variance))
    assert not norms(check_equal(s.model(normal), tmp_path))


@pytest.mark.parametrize("shape", [(1, 6, 5, 4), (1, 6, 11)])
def test_of_each_channel_of_an_image(shape: tuple[int, ...], tmp_path: Path) -> None:
    s = Style(4, opset=17)
    x = s.node("InstanceNormalization", s.node("Tanh", s.input(*shape)), s.weight(6), s.weight(6))
    (node,) = norms(check_equal(s.model(x), tmp_path))
    assert (node.op, node.attrs.groups) == ("GroupNorm", 6)


@pytest.mark.parametrize("opset", [17, 21])
def test_of_groups_of_channels(opset: int, tmp_path: Path) -> None:
    """Before opset 21 as an InstanceNormalization of groups."""
    s = Style(5, opset=opset)
    x = s.conv(s.input(1, 3, 6, 5), (8, 3, 3, 3))
    if opset == 17:
        flat = s.node("Reshape", x, s.ints(0, 2, -1))
        ones, zeros = (s.constant(np.full(2, number, np.float32)) for number in (1, 0))
        flat = s.node("InstanceNormalization", flat, ones, zeros)
        x = s.node("Reshape", flat, s.ints(1, 8, 4, 3))
        x = s.node("Add", s.node("Mul", x, s.weight(8, 1, 1)), s.weight(8, 1, 1))
    else:
        x = s.node("GroupNormalization", x, s.weight(8), s.weight(8), num_groups=2)
    graph = check_equal(s.model(x, checked=False), tmp_path)
    assert [node.op for node in graph.nodes] == ["Conv2d", "GroupNorm"]
    assert graph.nodes[-1].attrs.groups == 2


@pytest.mark.parametrize("axis", [1, 2])
def test_of_several_axes(axis: int, tmp_path: Path) -> None:
    """A scale of each element is a layer of its own."""
    s = Style(6, opset=17)
    x = s.conv(s.input(1, 3, 6, 5), (8, 3, 3, 3))
    shape = (8, 4, 3)[axis - 1 :]
    x = s.node("LayerNormalization", x, s.weight(*shape), s.weight(*shape), axis=axis)
    (node,) = norms(check_equal(s.model(x), tmp_path))
    assert (node.op, node.attrs.groups) == ("GroupNorm", 1 if axis == 1 else 8)


def test_a_scale_behind_joins_the_normalization(tmp_path: Path) -> None:
    s = Style(7, opset=17)
    x = s.node("InstanceNormalization", s.input(1, 6, 5, 4), s.weight(6), s.weight(6))
    x = s.relu(s.node("Add", s.node("Mul", x, s.weight(6, 1, 1)), s.weight(6, 1, 1)))
    graph = check_equal(s.model(x), tmp_path)
    assert [node.op for node in graph.nodes] == ["GroupNorm"]
    assert graph.nodes[0].attrs.clamp.low == 0


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"axis": 0}, "axes [0, 1, 2, 3]"),
        ({"axis": 3, "epsilon": -1.0}, "epsilon=-1"),
    ],
)
def test_others_are_refused_with_words(change: dict, found: str, tmp_path: Path) -> None:
    s = Style(8, opset=17)
    x = s.input(1, 6, 5, 4)
    with pytest.raises(ModelError) as refusal:
        imported(s.model(s.node("LayerNormalization", x, s.weight(4), **change)), tmp_path)
    assert found in str(refusal.value)

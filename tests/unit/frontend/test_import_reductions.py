"""Reductions along any axes, and Concat with constants."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto
from onnx_equal import check_equal, imported
from random_models import STEADY, equal, kinds

from deployer.errors import ModelError
from exporters import Style
from models import ModelBuilder

SUMS = ["ReduceSum", "ReduceL1", "ReduceL2", "ReduceSumSquare"]
KINDS = [*SUMS, "ReduceMean", "ReduceMax", "ReduceMin"]


def reduced(s: ModelBuilder, kind: str, x: str, axes: list[int] | None, **attrs: Any) -> str:
    """With axes as an attribute, an input from opset 18 (ReduceSum: 13) on."""
    if axes is None:
        return s.node(kind, x, **attrs)
    if s.opset >= (13 if kind == "ReduceSum" else 18):
        return s.node(kind, x, s.constant(np.int64(axes)), **attrs)
    return s.node(kind, x, axes=axes, **attrs)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("opset", [11, 13, 18])
@pytest.mark.parametrize("keep", [0, 1])
@pytest.mark.parametrize("axes", [[1], [-1], [2, 3], [-1, -2], [1, 2]])
def test_one_or_two_axes(kind: str, opset: int, keep: int, axes: list[int], tmp_path: Path) -> None:
    s = ModelBuilder(1, opset=opset)
    x = s.conv(s.input(1, 3, 4, 5), (6, 3, 1, 1))
    check_equal(s.model(reduced(s, kind, x, axes, keepdims=keep)), tmp_path)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rank", [2, 3, 4, 5])
def test_every_set_of_axes_that_keeps_the_batch(kind: str, rank: int, tmp_path: Path) -> None:
    """With and without the batch among them, where its axis stays."""
    shape = (1, 3, 2, 4, 2)[:rank]
    for count in range(1, rank):
        for axes in itertools.combinations(range(1, rank), count):
            for batch in ([], [0]):
                s = ModelBuilder(2, opset=18)
                x = reduced(s, kind, s.input(*shape), [*batch, *axes], keepdims=1)
                check_equal(s.model(x), tmp_path)


@pytest.mark.parametrize("kind", KINDS)
def test_all_axes_and_none(kind: str, tmp_path: Path) -> None:
    s = ModelBuilder(3, opset=18)
    check_equal(s.model(reduced(s, kind, s.input(1, 3, 4, 5), None, keepdims=1)), tmp_path)
    s = ModelBuilder(4, opset=18)
    x = s.relu(s.input(1, 3, 4, 5))
    x = reduced(s, kind, x, [], noop_with_empty_axes=1)
    if kind not in SUMS:  # ONNX Runtime and the standard disagree about squares of nothing
        check_equal(s.model(s.relu(x)), tmp_path)


@STEADY
@given(data=st.data())
def test_any_shape_and_axes(data: st.DataObject) -> None:
    shape = [1, *data.draw(st.lists(st.integers(1, 5), min_size=1, max_size=4))]
    axes = data.draw(st.sets(st.integers(1, len(shape) - 1), min_size=1))
    keep = data.draw(st.integers(0, 1)) if len(axes) < len(shape) - 1 else 1
    kind = data.draw(st.sampled_from(KINDS))
    s = ModelBuilder(5, opset=18)
    signed = [axis - len(shape) if data.draw(st.booleans()) else axis for axis in axes]
    equal(s.model(reduced(s, kind, s.input(*shape), signed, keepdims=keep)))


def test_a_norm_in_pieces(tmp_path: Path) -> None:
    """x / sqrt(sum of squares): F.normalize without its bound."""
    s = ModelBuilder(6, opset=18)
    x = s.conv(s.input(1, 3, 4, 5), (6, 3, 1, 1))
    norm = s.node("Clip", reduced(s, "ReduceL2", x, [1]), s.constant(np.float32(1e-3)))
    check_equal(s.model(s.node("Div", x, norm)), tmp_path)


def test_computed_axes_are_refused(tmp_path: Path) -> None:
    s = ModelBuilder(7, opset=18)
    x = s.input(1, 3, 4, 5)
    axes = s.input(1, name="axes")
    model = s.model(s.node("ReduceSum", x, axes), checked=False)
    model.graph.input[1].type.tensor_type.elem_type = TensorProto.INT64
    with pytest.raises(ModelError, match=r"ReduceSum needs .* constant"):
        imported(model, tmp_path)


@pytest.mark.parametrize(
    ("shape", "constant", "axis"),
    [
        ((1, 3, 4, 5), (1, 2, 4, 5), 1),
        ((1, 3, 4, 5), (1, 3, 4, 2), -1),
        ((1, 7, 6), (1, 1, 6), 1),
        ((1, 6), (1, 3), 1),
        ((1, 1), (1, 3), 1),
    ],
)
@pytest.mark.parametrize("first", [False, True])
def test_concat_with_a_constant(
    shape: tuple[int, ...], constant: tuple[int, ...], axis: int, first: bool, tmp_path: Path
) -> None:
    """Coordinates as channels, a class token before the patches."""
    s = ModelBuilder(8)
    operands = [s.input(*shape), s.weight(*constant)]
    x = s.node("Concat", *operands[:: -1 if first else 1], axis=axis)
    graph = check_equal(s.model(x), tmp_path)
    assert kinds(graph).count("Concat") == 1


@pytest.mark.parametrize("style", ["initializer", "node", "expanded"])
def test_a_class_token(style: str, tmp_path: Path) -> None:
    """PyTorch expands a parameter over the batch, TorchScript by nodes."""
    s = Style(9, opset=18)
    x = s.conv(s.input(1, 3, 16, 16), (8, 3, 4, 4), strides=[4, 4])
    x = s.node("Transpose", s.node("Reshape", x, s.ints(1, 8, 16)), perm=[0, 2, 1])
    token = s.rng.normal(size=(1, 1, 8)).astype(np.float32)
    name = s.literal(token) if style == "node" else s.constant(token)
    if style == "expanded":
        name = s.node("Expand", name, s.ints(1, 1, 8))
    x = s.node("Concat", name, x, s.constant(token), axis=1)
    check_equal(s.model(x, checked=False), tmp_path)


def test_constant_integers_among_quantized_activations_are_refused(tmp_path: Path) -> None:
    """Nothing says what they stand for."""
    s = ModelBuilder(10)
    numbers = s.constant(np.float32(0.1)), s.constant(np.uint8(128))
    x = s.node("QuantizeLinear", s.input(1, 3, 4, 5), *numbers)
    x = s.node("Concat", x, s.constant(np.zeros((1, 1, 4, 5), np.uint8)), axis=1)
    with pytest.raises(ModelError, match="only where they are real numbers"):
        imported(s.model(s.node("DequantizeLinear", x, *numbers)), tmp_path)

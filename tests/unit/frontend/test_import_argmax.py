"""A choice at the end of a network is the host's; three axes in space are refused in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import onnx
import pytest
from onnx import TensorProto, helper
from onnx_equal import compare, imported
from random_models import kinds

from deployer.errors import ModelError
from exporters import Style
from models import ModelBuilder


def chosen(s: ModelBuilder, name: str, *more: str) -> onnx.ModelProto:
    """A model that returns integers, and maybe reals."""
    outputs = [helper.make_tensor_value_info(name, TensorProto.INT64, None)]
    outputs += [helper.make_tensor_value_info(item, TensorProto.FLOAT, None) for item in more]
    graph = helper.make_graph(s._nodes, "test", s._inputs, outputs, s._weights)
    opsets = [helper.make_opsetid("", s.opset)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def without_choice(model: onnx.ModelProto, name: str) -> bytes:
    """The model up to the value that it chooses among."""
    shorter = onnx.ModelProto()
    shorter.CopyFrom(model)
    del shorter.graph.output[:]
    shorter.graph.output.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, None))
    return shorter.SerializeToString()


@pytest.mark.parametrize("kind", ["ArgMax", "ArgMin"])
@pytest.mark.parametrize("tail", [[], ["Cast"], ["Squeeze", "Cast"], ["Reshape"]])
def test_segmentation_ends_before_its_choice(kind: str, tail: list[str], tmp_path: Path) -> None:
    """PyTorch: argmax(1), keepdims or not, and a cast; tf2onnx: int32 behind a Cast."""
    s = Style(1, opset=17)
    scores = s.conv(s.input(1, 3, 6, 5), (4, 3, 3, 3))
    x = s.node(kind, scores, axis=1, keepdims=1)
    for name in tail:
        more = {"Squeeze": [s.ints(1)], "Reshape": [s.ints(-1)]}.get(name, [])
        x = s.node(name, x, *more, **({"to": 6} if name == "Cast" else {}))
    model = chosen(s, x)
    graph = imported(model, tmp_path)
    assert graph.outputs == (scores,)
    assert kinds(graph) == ["Conv2d"]
    assert any(f"the final {kind} (" in note and "axis 1" in note for note in graph.notes)
    compare(graph, without_choice(model, scores))


def test_a_softmax_before_the_choice_is_left_to_the_host_too(tmp_path: Path) -> None:
    s = ModelBuilder(2)
    x = s.node("Softmax", s.gemm(s.input(1, 6), 6, 4))
    graph = imported(chosen(s, s.node("ArgMax", x, axis=-1)), tmp_path, softmax="host")
    assert kinds(graph) == ["FullyConnected"]


def test_scores_that_are_returned_beside_the_choice_are_returned_once(tmp_path: Path) -> None:
    s = ModelBuilder(3)
    scores = s.gemm(s.input(1, 6), 6, 4)
    graph = imported(chosen(s, s.node("ArgMax", scores, axis=-1), scores), tmp_path)
    assert graph.outputs == (scores,)


def test_a_log_softmax_at_the_end_is_left_to_the_host(tmp_path: Path) -> None:
    """As PyTorch's example for MNIST ends."""
    s = ModelBuilder(6)
    scores = s.gemm(s.input(1, 6), 6, 4)
    graph = imported(s.model(s.node("LogSoftmax", scores, axis=-1)), tmp_path)
    assert graph.outputs == (scores,)
    assert any("LogSoftmax" in note and "axis -1" in note for note in graph.notes)


def test_a_choice_of_the_input_or_in_the_middle_is_refused(tmp_path: Path) -> None:
    s = ModelBuilder(4)
    with pytest.raises(ModelError, match=r"ArgMax needs nothing behind it .*; found"):
        imported(chosen(s, s.node("ArgMax", s.input(1, 6), axis=-1)), tmp_path)
    s = ModelBuilder(5)
    x = s.node("Cast", s.node("ArgMax", s.relu(s.input(1, 6)), axis=-1), to=1)
    with pytest.raises(ModelError, match=r"ArgMax needs nothing behind it .*; found"):
        imported(s.model(s.relu(x), checked=False), tmp_path)


@pytest.mark.parametrize(
    ("kind", "more", "attrs"),
    [
        ("Conv", [(4, 3, 3, 3, 3)], {}),
        ("ConvTranspose", [(3, 4, 2, 2, 2)], {}),
        ("MaxPool", [], {"kernel_shape": [2, 2, 2]}),
        ("AveragePool", [], {"kernel_shape": [2, 2, 2]}),
        ("GlobalAveragePool", [], {}),
        ("GlobalMaxPool", [], {}),
    ],
)
def test_three_axes_in_space_are_refused_in_words(
    kind: str, more: list[tuple[int, ...]], attrs: dict[str, Any], tmp_path: Path
) -> None:
    s = ModelBuilder(6)
    x = s.node(kind, s.input(1, 3, 4, 5, 6), *(s.weight(*shape) for shape in more), **attrs)
    with pytest.raises(ModelError) as caught:
        imported(s.model(x), tmp_path)
    text = str(caught.value)
    assert f"{kind} needs one or two spatial axes behind the channels" in text
    assert "found an input of shape [1, 3, 4, 5, 6]" in text
    assert "write three-dimensional layers as several two-dimensional ones" in text

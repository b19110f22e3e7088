"""Networks ended before their post-processing, and the proposal to do so."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from onnx_equal import imported

from deployer.errors import ModelError, UsageError
from deployer.numerics import interpret
from models import ModelBuilder


def detector(*, heads: bool = True) -> onnx.ModelProto:
    """Two heads and a feature output; behind the heads Hardmax, TopK and NonMaxSuppression."""
    s = ModelBuilder(1)
    x = s.relu(s.conv(s.input(1, 3, 8, 8), (6, 3, 3, 3), pads=[1, 1, 1, 1]))
    boxes = s.node("Reshape", s.conv(x, (4, 6, 1, 1)), s.constant(np.int64([1, 64, 4])))
    scores = s.node("Reshape", s.conv(x, (1, 6, 1, 1)), s.constant(np.int64([1, 1, 64])))
    if not heads:
        return s.model(x, boxes, scores)
    grown = s.node("Hardmax", boxes)
    s.node_of("TopK", [scores, s.constant(np.int64([3]))], ["best", "where"])
    most = s.constant(np.int64(5))
    chosen = s.node("NonMaxSuppression", grown, scores, most)
    model = s.model("best", grown, x, checked=False)
    model.graph.output.append(helper.make_tensor_value_info(chosen, TensorProto.INT64, None))
    return model


def indices(s: ModelBuilder, name: str) -> onnx.ModelProto:
    """A model that returns integers."""
    model = s.model(name, checked=False)
    model.graph.output[0].type.tensor_type.elem_type = TensorProto.INT64
    return model


def test_the_cut_is_proposed_and_works(tmp_path: Path) -> None:
    with pytest.raises(ModelError) as caught:
        imported(detector(), tmp_path)
    assert caught.value.hints[0] == (
        "--cut reshape_3_out --cut reshape_5_out   (ends the network there; the host does the rest)"
    )
    names = caught.value.hints[0].split("   ")[0].replace("--cut", "").split()
    graph = imported(detector(), tmp_path, cut=names)
    assert graph.outputs == ("reshape_3_out", "reshape_5_out", "relu_1_out")
    x = {"input": np.random.default_rng(0).normal(size=(1, 8, 8, 3)).astype(np.float32)}
    whole = interpret.run(imported(detector(heads=False), tmp_path), x)
    ended = interpret.run(graph, x)
    for name in graph.outputs:
        np.testing.assert_array_equal(ended[name], whole[name])


def test_all_reasons_are_still_listed(tmp_path: Path) -> None:
    with pytest.raises(ModelError) as caught:
        imported(detector(), tmp_path)
    text = str(caught.value)
    for kind in ("Hardmax", "TopK", "NonMaxSuppression"):
        assert f"{kind} not supported" in text


def test_a_node_may_be_named_too(tmp_path: Path) -> None:
    graph = imported(detector(), tmp_path, cut=["relu_1"])
    assert graph.outputs == ("relu_1_out",)
    assert len(graph.nodes) == 1


def test_no_cut_is_proposed_when_something_else_is_unsupported(tmp_path: Path) -> None:
    s = ModelBuilder(2)
    x = s.node("LpNormalization", s.conv(s.input(1, 3, 8, 8), (4, 3, 3, 3)))
    with pytest.raises(ModelError) as caught:
        imported(indices(s, s.node("ArgMax", x, axis=1)), tmp_path)
    assert not any(hint.startswith("--cut") for hint in caught.value.hints)


def test_integer_nodes_behind_a_head_do_not_hide_the_proposal(tmp_path: Path) -> None:
    s = ModelBuilder(3)
    x = s.conv(s.input(1, 3, 8, 8), (4, 3, 3, 3))
    x = s.node("Cast", s.node("ArgMax", x, axis=1), to=1)
    with pytest.raises(ModelError) as caught:
        imported(s.model(s.relu(x)), tmp_path)
    assert caught.value.hints[0].startswith("--cut conv_0_out ")


def test_names_that_a_shell_would_break_are_quoted(tmp_path: Path) -> None:
    s = ModelBuilder(4)
    x = s.node("Conv", s.input(1, 3, 8, 8), s.weight(4, 3, 3, 3), output="head:0 (a)")
    with pytest.raises(ModelError) as caught:
        imported(indices(s, s.node("NonZero", x)), tmp_path)
    assert caught.value.hints[0].startswith("--cut 'head:0 (a)' ")


def test_unknown_names_come_with_close_ones(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        imported(detector(), tmp_path, cut=["reshape_3_uot"])
    assert "--cut reshape_3_uot: the model has no node or tensor" in str(caught.value)
    assert "reshape_3_out" in str(caught.value)


def test_an_input_is_no_place_to_cut(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no node or tensor"):
        imported(detector(), tmp_path, cut=["input"])

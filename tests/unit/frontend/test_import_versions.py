"""Newer operator sets and formats: a model is judged by what its operators say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, defs, helper
from onnx_equal import check_equal, imported
from random_models import kinds

from deployer.errors import ModelError
from deployer.frontend import versions
from models import ModelBuilder, conv_net

NEWER = [24, 25, 26, 27, 28, 31]


def of_opset(model: onnx.ModelProto, opset: int) -> onnx.ModelProto:
    del model.opset_import[:]
    model.opset_import.append(helper.make_opsetid("", opset))
    return model


def newer_net() -> ModelBuilder:
    """Operators whose newest versions differ in their types only."""
    s = ModelBuilder(1, opset=21)
    x = s.relu(s.conv(s.input("N", 3, 8, 8), (4, 3, 3, 3)))
    x = s.node("Pad", x, s.constant(np.int64([0, 0, 1, 1, 0, 0, 1, 1])))
    x = s.node("Transpose", s.node("Identity", x), perm=[0, 2, 3, 1])
    shape = s.node("Shape", x)
    batch = s.node("Slice", shape, s.constant([0]), s.constant([1]))
    x = s.node("Reshape", x, s.node("Concat", batch, s.constant([-1]), axis=0))
    s.node("Sigmoid", s.gemm(x, 256, 3), output="result")
    return s


@pytest.mark.parametrize("opset", NEWER)
def test_plain_graphs_of_any_newer_opset(opset: int, tmp_path: Path) -> None:
    model = newer_net().model("result")
    graph = imported(of_opset(model, opset), tmp_path)
    assert kinds(graph) == ["Conv2d", "Pad", "FullyConnected", "Table"]
    assert graph.meta["opset"] == str(opset)
    assert graph.nodes == imported(of_opset(model, 21), tmp_path).nodes


@pytest.mark.parametrize("version", [11, 13, 14, 15, 99, 2**40])
def test_any_version_of_the_format(version: int, tmp_path: Path) -> None:
    model = conv_net()
    model.ir_version = version
    imported(model, tmp_path)


def test_what_the_installed_onnx_writes_by_default(tmp_path: Path) -> None:
    """No version given at all."""
    x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, [1, 2, 3, 3]) for n in "xy")
    graph = helper.make_graph([helper.make_node("Sigmoid", ["x"], ["y"])], "plain", [x], [y])
    model = helper.make_model(graph)
    assert model.ir_version == onnx.IR_VERSION
    assert kinds(imported(model, tmp_path)) == ["Table"]


def test_an_attribute_that_came_later_is_named(tmp_path: Path) -> None:
    s = ModelBuilder(2, opset=21)
    x = s.node("SpaceToDepth", s.input(1, 2, 4, 4), blocksize=2)
    model = of_opset(s.model(s.node("Tanh", x)), 28)
    model.graph.node[0].attribute.append(helper.make_attribute("mode", "CRD"))
    with pytest.raises(ModelError, match=r"'spacetodepth_0' \(SpaceToDepth\): attribute 'mode'"):
        imported(model, tmp_path)


def test_an_operator_that_came_later_is_named(tmp_path: Path) -> None:
    s = ModelBuilder(3, opset=21)
    model = s.model(s.node("Tanh", s.relu(s.input(1, 2, 4, 4))))
    model.graph.node[0].op_type = "Swish"
    model.graph.node[0].attribute.append(helper.make_attribute("alpha", 1.0))
    newest = defs.has("Swish", "")
    found = r"'relu_0' \(Swish\): an operator since opset 24" if newest else "Swish"
    with pytest.raises(ModelError, match=found):
        imported(of_opset(model, 28), tmp_path)


def test_many_newer_nodes_are_counted(tmp_path: Path) -> None:
    s = ModelBuilder(4, opset=21)
    x = s.input(1, 4, 2, 2)
    for _ in range(12):
        x = s.node("DepthToSpace", s.node("SpaceToDepth", x, blocksize=2), blocksize=2)
    model = of_opset(s.model(s.node("Tanh", x)), 28)
    for node in model.graph.node[:-1]:
        node.attribute.append(helper.make_attribute("later", 1))
    with pytest.raises(ModelError, match=r"attribute 'later'.*\n(.*\n)+ +and 16 more"):
        imported(model, tmp_path)


def test_an_installed_onnx_that_knows_less(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is known is the lesser of ours and the library's."""
    monkeypatch.setattr(defs, "onnx_opset_version", lambda: 19)
    assert versions.newest() == 19
    s = ModelBuilder(5, opset=21)
    x = s.node("Flatten", s.node("GlobalAveragePool", s.conv(s.input(1, 3, 4, 4), (4, 3, 1, 1))))
    graph = check_equal(s.model(s.gemm(x, 4, 2)), tmp_path)
    assert graph.meta["opset"] == "21"


def test_local_functions_of_a_newer_opset(tmp_path: Path) -> None:
    body = [helper.make_node("Relu", ["x"], ["y"])]
    opsets = [helper.make_opsetid("", 27), helper.make_opsetid("own", 1)]
    function = helper.make_function("own", "F", ["x"], ["y"], body, opsets[:1])
    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [1, 2, 3, 3]) for n in "xy"]
    node = helper.make_node("F", ["x"], ["y"], domain="own")
    graph = helper.make_graph([node], "g", ends[:1], ends[1:])
    model = helper.make_model(graph, functions=[function], opset_imports=opsets, ir_version=10)
    assert kinds(imported(model, tmp_path)) == ["Rescale"]

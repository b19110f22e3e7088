"""What the exporters really write: the graph behind their detours is the network, no more."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx_equal import check_equal, imported
from random_models import kinds

from calls import calls
from exporters import (
    Keras,
    paddle,
    tf2onnx,
    tflite,
    torch_dynamo,
    torch_legacy,
    with_unused_domains,
)
from models import ModelBuilder


def test_torch_legacy(tmp_path: Path) -> None:
    """The pads join the convolution, chunks are Slices, the shuffle is one Transpose."""
    graph = check_equal(torch_legacy(), tmp_path)
    assert kinds(graph) == [
        *("Conv2d", "Slice", "Slice", "Conv2d", "Table", "DepthwiseConv2d", "Concat"),
        *("Transpose", "AveragePool", "FullyConnected", "FullyConnected"),
    ]
    assert [node.attrs.function for node in graph.nodes if node.op == "Table"] == ["hard_swish"]
    pads = graph.nodes[0].attrs.window.pads
    assert (pads.top, pads.left, pads.bottom, pads.right) == (1, 1, 0, 0)


def test_weights_shared_through_identity(tmp_path: Path) -> None:
    """Folding batch norm into one user of a weight leaves the other alone."""
    s = ModelBuilder(1)
    x, weights = s.input(1, 4, 6, 6), s.weight(4, 4, 1, 1)
    x = s.batch_norm(s.node("Conv", x, weights), 4)
    x = s.node("Conv", s.relu(x), s.node("Identity", weights))
    assert kinds(check_equal(s.model(s.batch_norm(x, 4)), tmp_path)) == ["Conv2d", "Conv2d"]


@pytest.mark.parametrize("opset", [18, 20, 23])
def test_torch_dynamo(opset: int, tmp_path: Path) -> None:
    graph = check_equal(torch_dynamo(opset=opset), tmp_path)
    assert kinds(graph) == [
        *("Conv2d", "Slice", "Slice", "Conv2d", "Table", "AveragePool", "Conv2d", "Table"),
        *("Mul", "Concat", "Resize", "Table", "AveragePool", "FullyConnected"),
    ]
    functions = [node.attrs.function for node in graph.nodes if node.op == "Table"]
    assert functions == ["hard_swish", "hard_sigmoid", "swish"]


@pytest.mark.parametrize("blocks", [1, 6])
def test_tf2onnx(blocks: int, tmp_path: Path) -> None:
    """No Transpose is left; the input comes as the model has it."""
    model = tf2onnx(blocks=blocks)
    assert sum(node.op_type == "Transpose" for node in model.graph.node) > 10 * blocks
    graph = check_equal(model, tmp_path)
    count = Counter(kinds(graph))
    assert count["Transpose"] == 0
    assert count["Table"] == 2 * blocks + 2
    assert count["Mul"] == blocks
    assert count["Pad"] == 0
    assert {node.attrs.function for node in graph.nodes if node.op == "Table"} == {"hard_swish"}
    assert graph.meta["model_layout/input"] == "NHWC"
    assert graph.values["input"].shape == (1, 16, 16, 3)
    assert not any("transposes that remain" in note for note in graph.notes)


def test_paddle(tmp_path: Path) -> None:
    graph = check_equal(paddle(), tmp_path)
    assert kinds(graph) == [
        *("Conv2d", "Table", "Conv2d", "Table", "AveragePool", "FullyConnected", "Softmax")
    ]


def test_tflite(tmp_path: Path) -> None:
    graph = check_equal(tflite(), tmp_path)
    assert kinds(graph).count("Pad") == 1
    assert kinds(graph).count("Conv2d") == 3


def test_unused_domains_are_ignored(tmp_path: Path) -> None:
    check_equal(with_unused_domains(torch_legacy()), tmp_path)


def test_weights_beside_the_model(tmp_path: Path) -> None:
    """The dynamo exporter's default."""
    model = torch_dynamo()
    onnx.save(
        model,
        tmp_path / "side.onnx",
        save_as_external_data=True,
        location="side.onnx.data",
        size_threshold=0,
    )
    side = onnx.load(tmp_path / "side.onnx", load_external_data=False)
    (tmp_path / "model.onnx.data").write_bytes((tmp_path / "side.onnx.data").read_bytes())
    graph = imported(side, tmp_path)
    assert "data_sha256/side.onnx.data" in graph.meta
    assert kinds(graph) == kinds(imported(model, tmp_path))


@pytest.mark.parametrize("opset", range(11, 24))
def test_every_opset_of_the_contract(opset: int, tmp_path: Path) -> None:
    """Operators whose inputs and attributes changed between versions."""
    s = ModelBuilder(6, opset=opset)
    x = s.relu6(s.conv(s.input("N", 3, 12, 12), (8, 3, 3, 3)))
    if opset < 13:
        s.node_of("Split", [x], ["a", "b"], axis=1, split=[3, 5])
    else:
        s.node_of("Split", [x, s.constant(np.int64([3, 5]))], ["a", "b"], axis=1)
    x = s.node("Concat", "b", "a", axis=1)
    x = s.node("Pad", x, s.constant(np.int64([0, 0, 1, 1, 0, 0, 1, 1])))
    x = s.batch_norm(s.conv(x, (4, 8, 3, 3)), 4)
    x = s.node("LeakyRelu", x, alpha=0.1)
    axes = {"axes": [2, 3]} if opset < 18 else {}
    x = s.node("ReduceMean", x, *([] if axes else [s.constant(np.int64([2, 3]))]), **axes)
    squeezed = {"axes": [3]} if opset < 13 else {}
    x = s.node("Squeeze", x, *([] if squeezed else [s.constant(np.int64([3]))]), **squeezed)
    x = s.node("Flatten", x)
    model = s.model(s.node("Softmax", s.gemm(x, 4, 3), axis=1))
    assert kinds(check_equal(model, tmp_path)) == [
        *("Conv2d", "Slice", "Slice", "Concat", "Conv2d", "Table", "AveragePool"),
        *("FullyConnected", "Softmax"),
    ]


def test_a_legacy_export_of_4000_nodes_is_imported(tmp_path: Path) -> None:
    model = torch_legacy(blocks=53)
    assert len(model.graph.node) > 4000
    assert kinds(imported(model, tmp_path)).count("Transpose") == 53


def test_the_work_of_an_import_grows_with_the_nodes_alone(tmp_path: Path) -> None:
    small, large = (torch_legacy(blocks=count) for count in (6, 12))
    imported(small, tmp_path)  # what is imported on first use does not count
    work = [calls(lambda model=model: imported(model, tmp_path)) for model in (small, large)]
    ratio = len(large.graph.node) / len(small.graph.node)
    assert work[1] < 1.2 * ratio * work[0]


def test_a_keras_segmentation_network_keeps_its_exit_only(tmp_path: Path) -> None:
    """An image returned as NHWC costs the one Transpose that the note counts."""
    s = Keras(7, opset=13)
    x = s.hard_swish(s.layer(s.input(1, 8, 8, 3), (6, 3, 3, 3), auto_pad="SAME_UPPER"))
    y = s.layer(s.node("Concat", x, x, axis=3), (4, 12, 1, 1))
    graph = check_equal(s.model(s.node("Add", y, y)), tmp_path)
    assert kinds(graph).count("Transpose") == 1
    assert sum("transposes that remain: 1" in note for note in graph.notes) == 1


def test_unknown_domains_in_use_are_refused(tmp_path: Path) -> None:
    model = with_unused_domains(torch_dynamo())
    model.graph.node[0].domain = "com.microsoft"
    with pytest.raises(Exception, match=r"com\.microsoft\.Conv not supported"):
        imported(model, tmp_path)

"""Networks that ONNX Runtime's quantizer wrote, in both of its formats, beside ONNX Runtime."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from deployer.frontend.onnx_import import import_model
from deployer.quantize.quantize import QuantOptions, quantize
from deployer.quantize.samples import SYNTHETIC_NOTE, synthetic_samples
from models import ModelBuilder, conv_net, dense_net, depthwise_net, pools_net, residual_net
from qdq import expected, integer_steps, real_steps, samples_for
from runtime_quantizer import FORMATS, quantized_by_runtime


def curves_net() -> onnx.ModelProto:
    """What the operator format has nodes of its own for, and islands it leaves in float."""
    s = ModelBuilder(7)
    x = s.node("LeakyRelu", s.conv(s.input(1, 3, 9, 9), (6, 3, 3, 3)), alpha=0.1)
    y = s.node("Mul", s.node("Sigmoid", s.conv(x, (6, 6, 1, 1))), x)
    z = s.node("AveragePool", y, kernel_shape=[3, 3], strides=[2, 2])
    w = s.node("MaxPool", s.relu(x), kernel_shape=[3, 3], strides=[2, 2])
    x = s.node("Concat", z, w, s.node("HardSigmoid", w), axis=1)
    x = s.node("ReduceMean", s.conv(x, (8, 18, 3, 3)), axes=[2, 3], keepdims=0)
    return s.model(s.node("Softmax", s.gemm(x, 8, 5)))


NETS: dict[str, Callable[[], onnx.ModelProto]] = {
    net.__name__: net
    for net in (conv_net, curves_net, dense_net, depthwise_net, pools_net, residual_net)
}


@pytest.mark.parametrize("style", FORMATS)
@pytest.mark.parametrize("name", NETS)
def test_the_network_is_the_runtimes(name: str, style: str, tmp_path: Path) -> None:
    path = quantized_by_runtime(NETS[name](), style, tmp_path)
    graph = import_model(path, softmax="device")
    result = quantize(graph, synthetic_samples(graph), QuantOptions())
    feeds = samples_for(graph, 64)
    (wanted,) = expected(path, feeds).values()
    (output,) = graph.outputs
    step = result.graph.values[output].q.tensor_scale
    real, found = (
        np.abs(steps[output].reshape(wanted.shape) - wanted) / step
        for steps in (real_steps(graph, feeds), integer_steps(result.graph, feeds))
    )
    assert result.report.stated is not None
    if result.report.stated.activations == result.report.stated.stated_activations:
        assert SYNTHETIC_NOTE not in result.report.notes
        # the operator format's own kernels round elsewhere than the definition of its operators
        assert style.startswith("operators") or (real < 0.5).mean() >= 0.97
        assert real.max() < 2.01
    assert (found < 1.01).mean() >= 0.99
    assert found.max() < 3.01


@pytest.mark.parametrize("style", FORMATS)
def test_weights_are_the_files_integers(style: str, tmp_path: Path) -> None:
    path = quantized_by_runtime(residual_net(), style, tmp_path)
    graph = import_model(path)
    integer = quantize(graph, synthetic_samples(graph), QuantOptions()).graph
    stored = [numpy_helper.to_array(item) for item in onnx.load(path).graph.initializer]
    sums = sorted((a.shape, int((a.astype(np.int64) ** 3).sum())) for a in stored if a.ndim == 4)
    found = [
        integer.constants[node.inputs[1]].transpose(0, 3, 1, 2).astype(np.int64)
        for node in integer.nodes
        if node.op == "Conv2d"
    ]
    assert sorted((a.shape, int((a**3).sum())) for a in found) == sums


def test_a_bias_of_the_operator_format_has_the_product_of_scales(tmp_path: Path) -> None:
    """QLinearConv holds no scale for its bias."""
    path = quantized_by_runtime(conv_net(), "operators per channel", tmp_path)
    model = onnx.load(path)
    assert {"QLinearConv", "QGemm"} <= {node.op_type for node in model.graph.node}
    graph = import_model(path)
    assert all("Linear" not in node.op for node in graph.nodes)
    integer = quantize(graph, synthetic_samples(graph), QuantOptions()).graph
    node = next(node for node in model.graph.node if node.op_type == "QLinearConv")
    arrays = {item.name: numpy_helper.to_array(item) for item in model.graph.initializer}
    first = integer.nodes[0]
    weights = integer.constants[first.inputs[1]].astype(np.int64)
    folded = integer.values[first.inputs[0]].q.zero_point * weights.sum(axis=(1, 2, 3))
    np.testing.assert_array_equal(
        integer.constants[first.inputs[2]] + folded, arrays[node.input[8]]
    )


def test_operators_of_an_opset_whose_pair_has_no_axis(tmp_path: Path) -> None:
    s = ModelBuilder(1, opset=11)
    x = s.node("GlobalAveragePool", s.relu(s.conv(s.input(1, 3, 8, 8), (4, 3, 3, 3))))
    model = s.model(s.gemm(s.node("Flatten", x), 4, 3))
    graph = import_model(quantized_by_runtime(model, "operators per channel", tmp_path))
    first = graph.values[graph.nodes[0].inputs[1]]
    assert first.quant is not None
    assert len(first.quant.scale) == 4


def test_names_of_the_operator_format_can_be_cut_at(tmp_path: Path) -> None:
    path = quantized_by_runtime(residual_net(), "operators per channel", tmp_path)
    model = onnx.load(path)
    node = next(node for node in model.graph.node if node.op_type == "QLinearConv")
    graph = import_model(path, cut=[node.name])
    assert [item.op for item in graph.nodes] == ["Conv2d"]
    assert graph.outputs == (node.output[0],)
    assert graph.nodes[0].name == node.name


def test_the_vendors_spelling_of_the_pair(tmp_path: Path) -> None:
    path = quantized_by_runtime(residual_net(), "qdq per channel", tmp_path)
    plain, model = import_model(path), onnx.load(path)
    for node in model.graph.node:
        if node.op_type in ("QuantizeLinear", "DequantizeLinear"):
            node.domain = "com.microsoft"
    if not any(entry.domain == "com.microsoft" for entry in model.opset_import):
        model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    onnx.save(model, path)
    found = import_model(path)
    assert [(n.op, n.output) for n in found.nodes] == [(n.op, n.output) for n in plain.nodes]
    assert {n: v.quant for n, v in found.values.items() if v.quant} == {
        n: v.quant for n, v in plain.values.items() if v.quant
    }

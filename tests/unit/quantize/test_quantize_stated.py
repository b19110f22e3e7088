"""A float graph may state scales: they are kept, and everything else is calibrated as ever."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx

from deployer.frontend.onnx_import import import_model
from deployer.ir.graph import Graph
from deployer.ir.types import QuantParams
from deployer.quantize.quantize import QuantOptions, quantize
from deployer.quantize.samples import synthetic_samples
from models import residual_net
from qdq import QdqBuilder, save


def _graph(folder: Path) -> Graph:
    path = folder / "net.onnx"
    onnx.save(residual_net(), path)
    return import_model(path)


def _stating(graph: Graph, name: str, quant: QuantParams) -> Graph:
    return replace(graph, values={**graph.values, name: replace(graph.values[name], quant=quant)})


def test_a_stated_activation_is_kept_and_the_others_are_calibrated(tmp_path: Path) -> None:
    graph, stated = _graph(tmp_path), QuantParams((0.0625,), 3)
    samples = synthetic_samples(graph)
    name = graph.nodes[0].output
    plain = quantize(graph, samples, QuantOptions()).graph
    found = quantize(_stating(graph, name, stated), samples, QuantOptions()).graph
    assert found.values[name].quant == stated
    assert plain.values[name].quant != stated
    assert found.values["input"].quant == plain.values["input"].quant


def test_stated_weight_scales_give_the_integers_they_say(tmp_path: Path) -> None:
    graph = _graph(tmp_path)
    node = graph.nodes[0]
    weights = graph.constants[node.inputs[1]]
    scale = 0.02
    steps = np.clip(np.rint(weights / scale), -127, 127)
    stated = _stating(graph, node.inputs[1], QuantParams((scale,) * len(weights), 0, 0))
    found = quantize(stated, synthetic_samples(graph), QuantOptions()).graph
    layer = found.nodes[0]
    assert found.values[layer.inputs[1]].q.scale == (scale,) * len(weights)
    np.testing.assert_array_equal(found.constants[layer.inputs[1]], steps)


def test_the_report_compares_with_the_reference(tmp_path: Path) -> None:
    graph = _graph(tmp_path)
    node = graph.nodes[0]
    empty = {**graph.constants, node.inputs[1]: np.zeros_like(graph.constants[node.inputs[1]])}
    broken, samples = replace(graph, constants=empty), synthetic_samples(graph)
    itself = quantize(broken, samples, QuantOptions()).report
    against = quantize(broken, samples, QuantOptions(), reference=graph).report
    assert against.outputs[0].max_abs_error > 5 * itself.outputs[0].max_abs_error


def _biased_channel(folder: Path, bias: int, scale: float) -> Graph:
    """Two outputs of one dense layer: the second has weights so small that its bias fills int32."""
    s = QdqBuilder()
    x = s.pair(s.input(1, 8), 0.03125)
    steps = s.rng.integers(-100, 101, (2, 8)).astype(np.int8)
    scales = np.float32([0.01, scale])
    biases = s.stored(np.array([100, bias], np.int32), scales * np.float32(0.03125))
    x = s.node("Gemm", x, s.stored(steps, scales), biases, transB=1)
    return import_model(save(s.model(s.pair(x, 0.05, 3)), folder))


def test_tiny_weights_beside_a_large_bias_stay_and_lose_nothing(tmp_path: Path) -> None:
    graph = _biased_channel(tmp_path, 2**30, 1e-8)
    report = quantize(graph, synthetic_samples(graph), QuantOptions()).report
    assert report.stated is not None
    assert (report.stated.weights, report.stated.stated_weights) == (1, 1)
    assert report.stated.worst < 1e-4
    assert not any("widened" in note for note in report.notes)


def test_a_widened_channel_is_not_called_kept(tmp_path: Path) -> None:
    graph = _biased_channel(tmp_path, 2**31 - 1000, 1e-8)
    report = quantize(graph, synthetic_samples(graph), QuantOptions()).report
    assert report.stated is not None
    assert (report.stated.weights, report.stated.stated_weights) == (1, 0)
    assert report.stated.worst < 1e-4
    (note,) = [note for note in report.notes if "widened" in note]
    assert "in 1 channel(s) to stay in int32; an output moves by at most" in note


def test_a_softmax_of_255_steps_rounds_once(tmp_path: Path) -> None:
    """The scale that ONNX Runtime's quantizer gives it."""
    s = QdqBuilder()
    x = s.pair(s.input(1, 5), 0.05)
    x = s.pair(s.node("Softmax", x, axis=1), 1 / 255, -128)
    graph = import_model(save(s.model(x), tmp_path), softmax="device")
    assert [node.op for node in graph.nodes] == ["Softmax"]
    integer = quantize(graph, synthetic_samples(graph), QuantOptions()).graph
    assert integer.values[graph.outputs[0]].q == QuantParams((float(np.float32(1 / 255)),), -128)


def test_a_stated_sum_is_as_exact_as_int32_allows(tmp_path: Path) -> None:
    s = QdqBuilder()
    left, right = s.pair(s.input(1, 8), 0.05, 3), s.pair(s.input(1, 8, name="other"), 0.0131, -7)
    graph = import_model(save(s.model(s.pair(s.node("Add", left, right), 0.041, 9)), tmp_path))
    report = quantize(graph, synthetic_samples(graph), QuantOptions()).report
    (layer,) = report.layers
    assert 0 < layer.deviation < 2.0**-14

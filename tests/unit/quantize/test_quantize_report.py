"""The error report and accuracy: figures against ones computed by hand."""

from __future__ import annotations

import numpy as np
import pytest
from graphs import Draft, every_operator, noise

from deployer.errors import UsageError
from deployer.ir.attrs import Clamp
from deployer.numerics import interpret
from deployer.quantize.quantize import QuantOptions, quantize
from deployer.quantize.report import accuracy
from deployer.quantize.samples import Dataset, Samples


def test_figures_of_each_layer() -> None:
    graph = every_operator()
    samples = noise(graph, count=70)
    result = quantize(graph, samples, QuantOptions())
    steps = {"x": interpret.quantize(samples.arrays["x"], result.graph.values["x"].q)}
    real = {node.output: x for node, x in interpret.trace(graph, samples.arrays)}
    integer = {node.output: q for node, q in interpret.trace(result.graph, steps)}
    assert [layer.node for layer in result.report.layers] == [node.name for node in graph.nodes]
    for layer, node in zip(result.report.layers, result.graph.nodes, strict=True):
        quant = result.graph.values[node.output].q
        error = interpret.dequantize(integer[node.output], quant) - real[node.output]
        found = layer.output
        assert (found.name, found.scale) == (node.output, quant.tensor_scale)
        assert found.zero_point == quant.zero_point
        assert found.max_abs_error == pytest.approx(np.abs(error).max(), rel=1e-5)
        ratio = np.square(real[node.output]).sum() / np.square(error).sum()
        assert found.sqnr_db == pytest.approx(10 * np.log10(ratio), rel=1e-4)
        assert layer.rule == (node.requant.rule if node.requant else "")
    (x,) = result.report.inputs
    assert x.name == "x"
    assert x.max_abs_error <= x.scale * 0.51
    assert result.report.samples == 70


def test_deviation_is_stated_for_requantized_layers_only() -> None:
    graph = every_operator()
    layers = quantize(graph, noise(graph), QuantOptions(requant="q16")).report.layers
    for layer in layers:
        if layer.rule == "q16":
            assert 0 < layer.deviation < 1
        if not layer.rule:
            assert layer.deviation == 0


def test_outputs_report_agreement() -> None:
    graph = every_operator()
    samples = noise(graph, count=40)
    result = quantize(graph, samples, QuantOptions("power-of-two"))
    steps = {"x": interpret.quantize(samples.arrays["x"], result.graph.values["x"].q)}
    real, integer = interpret.run(graph, samples.arrays), interpret.run(result.graph, steps)
    for output, name in zip(result.report.outputs, graph.outputs, strict=True):
        same = real[name].argmax(axis=1) == integer[name].argmax(axis=1)
        assert output.name == name
        assert output.top1_agreement == same.mean()


def test_saturation_counts_what_the_range_cannot_hold() -> None:
    draft = Draft(1, 1000)
    graph = draft.graph(draft.rescale("x", clamp=Clamp()))
    values = np.linspace(-1, 1, 1000, dtype=np.float32)
    values[:5] = 1.02  # rare enough for the power-of-two scale to cut it off
    samples = Samples({"x": values[None]}, "test", None)
    report = quantize(graph, samples, QuantOptions("power-of-two")).report
    (layer,) = report.layers
    steps = values / layer.output.scale + layer.output.zero_point
    expected = np.mean((steps > 127.5) | (steps < -128.5))
    assert expected > 0
    assert layer.output.saturated == pytest.approx(expected)
    assert quantize(graph, samples, QuantOptions()).report.layers[0].output.saturated == 0


def test_no_noise_has_no_ratio() -> None:
    draft = Draft(1, 4)
    graph = draft.graph(draft.rescale("x", clamp=Clamp()))
    exact = Samples({"x": np.array([[0, 1, 2, 255]], dtype=np.float32)}, "test", None)
    report = quantize(graph, exact, QuantOptions()).report
    assert report.layers[0].output.sqnr_db is None
    assert report.layers[0].output.max_abs_error == 0


def test_report_looks_at_so_many_samples_only() -> None:
    graph = every_operator()
    options = QuantOptions(report_samples=10)
    assert quantize(graph, noise(graph), options).report.samples == 10


def classifier() -> tuple[Draft, str]:
    draft = Draft(1, 3)
    return draft, draft.dense("x", 3, weights=np.eye(3), bias=np.zeros(3))


def test_accuracy_over_known_labels() -> None:
    draft, out = classifier()
    graph = draft.graph(out)
    x = np.eye(3, dtype=np.float32)[[0, 1, 2, 0, 1]]
    samples = Samples({"x": x}, "set.npz", None)
    integer = quantize(graph, samples, QuantOptions()).graph
    found = accuracy(graph, integer, Dataset(samples, np.array([0, 1, 2, 1, -1])))
    assert (found.samples, found.float_top1, found.integer_top1) == (4, 0.75, 0.75)
    assert found.agreement == 1.0


def test_accuracy_tells_float_and_integer_apart() -> None:
    """An input scale too coarse for the sample: the integer graph sees a tie, takes the first."""
    draft, out = classifier()
    graph = draft.graph(out)
    calibration = Samples({"x": np.full((1, 3), 255, dtype=np.float32)}, "c", None)
    integer = quantize(graph, calibration, QuantOptions()).graph
    data = Samples({"x": np.array([[3.0, 3.2, 0.0]], dtype=np.float32)}, "d", None)
    found = accuracy(graph, integer, Dataset(data, np.array([1])))
    assert (found.float_top1, found.integer_top1, found.agreement) == (1.0, 0.0, 0.0)


def test_accuracy_needs_labels() -> None:
    draft, out = classifier()
    graph = draft.graph(out)
    samples = Samples({"x": np.eye(3, dtype=np.float32)}, "set.npz", None)
    integer = quantize(graph, samples, QuantOptions()).graph
    for labels in (None, np.full(3, -1)):
        with pytest.raises(UsageError, match=r"set\.npz has no labels"):
            accuracy(graph, integer, Dataset(samples, labels))

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

"""The benchmark's official int8 networks: their integers, and their answers beside two runtimes.

ONNX Runtime runs the same converted file; LiteRT's reference kernels made the golden outputs. The
two differ from each other: rounding of one step early on is several at a softmax.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import onnx
import pytest

from deployer.frontend.onnx_import import import_model
from deployer.ir.graph import Graph
from deployer.numerics import integer
from deployer.numerics.interpret import quantize as to_integers
from deployer.numerics.interpret import run, trace
from deployer.quantize.quantize import QuantOptions, QuantResult, quantize
from deployer.quantize.samples import synthetic_samples
from qdq import runtime
from tflite import layer_constants, to_onnx

# by network: share of output elements within one step of LiteRT's, and where the runtimes agree
AGREEMENT = {
    "ad_autoencoder": (1.0, 1.0),
    "kws_dscnn": (0.94, 1.0),
    "resnet8_cifar10": (0.73, 1.0),
    "sww_ds1d": (1.0, 1.0),
    "vww_mobilenetv1_025_96": (0.85, 1.0),
}


@dataclass(frozen=True)
class Case:
    """One network, as a file, as graphs, and what it gives for the golden inputs."""

    tflite: Path
    path: Path

    @cached_property
    def real(self) -> Graph:
        return import_model(self.path, softmax="device")

    @cached_property
    def result(self) -> QuantResult:
        return quantize(self.real, synthetic_samples(self.real, count=1), QuantOptions())

    @cached_property
    def inputs(self) -> np.ndarray:
        with np.load(self.tflite.parent / "golden.npz") as golden:
            return np.asarray(golden["int8_input_nhwc"])

    @cached_property
    def golden(self) -> np.ndarray:
        with np.load(self.tflite.parent / "golden.npz") as golden:
            return np.asarray(golden["int8_output"]).astype(int)

    @cached_property
    def ours(self) -> np.ndarray:
        graph = self.result.graph
        return run(graph, {"input": self.inputs})[graph.outputs[0]].astype(int)

    @cached_property
    def theirs(self) -> np.ndarray:
        """ONNX Runtime's."""
        session = runtime(self.path)
        rows = [session.run(None, {"input": row[None]})[0] for row in self.inputs]
        return np.concatenate(rows).astype(int)


@pytest.fixture(scope="module", params=AGREEMENT)
def case(
    request: pytest.FixtureRequest, shared_models: Path, tmp_path_factory: pytest.TempPathFactory
) -> Case:
    name = request.param
    path = tmp_path_factory.mktemp("qdq") / f"{name}.onnx"
    tflite = shared_models / name / f"{name}_int8.tflite"
    onnx.save(to_onnx(tflite), path)
    return Case(tflite, path)


def test_everything_is_stated_and_no_rescale_is_left(case: Case) -> None:
    stated = case.result.report.stated
    assert stated is not None
    assert stated.activations == stated.stated_activations
    assert stated.weights == stated.stated_weights
    assert stated.worst < 0.3
    assert not any(node.op in ("Rescale", "Transpose") for node in case.real.nodes)


def test_weights_and_biases_are_those_of_the_file(case: Case) -> None:
    graph, layers = case.result.graph, layer_constants(case.tflite)
    nodes = [node for node in graph.nodes if len(node.inputs) == 3]
    for node, (weights, bias) in zip(nodes, layers, strict=True):
        assert weights.data is not None
        assert bias.data is not None
        found = graph.constants[node.inputs[1]].astype(np.int64)
        wanted = weights.data[0] if node.op == "DepthwiseConv2d" else weights.data
        np.testing.assert_array_equal(found, wanted)
        axes = (0, 1) if node.op == "DepthwiseConv2d" else tuple(range(1, found.ndim))
        folded = graph.values[node.inputs[0]].q.zero_point * found.sum(axis=axes)
        # a channel of nothing but a bias has a scale of our own; beyond 2^23 float32 rounds
        kept = found.any(axis=axes) & (np.abs(bias.data) < 1 << 23)
        steps = graph.constants[node.inputs[2]] + folded
        np.testing.assert_array_equal(steps[kept], bias.data[kept])


def test_every_layer_by_itself_is_within_a_step(case: Case) -> None:
    """Each integer layer on the integers that the QDQ model itself has there."""
    real, graph = case.real, case.result.graph
    live = {"input": case.inputs[:2]}
    exact = (live["input"].astype(np.float32) - real.values["input"].q.zero_point) * np.float32(
        real.values["input"].q.tensor_scale
    )
    for (node, result), step in zip(trace(real, {"input": exact}), graph.nodes, strict=True):
        args = [live[n] if n in live else graph.constants[n] for n in step.inputs]
        wanted = to_integers(result, graph.values[node.output].q)
        found = integer.evaluate(graph, step, args)
        assert np.abs(found.astype(int) - wanted).max() <= 1, node.name
        live[node.output] = wanted


def test_answers_beside_two_runtimes(case: Case) -> None:
    share, where_agreed = AGREEMENT[case.path.stem]
    within = np.abs(case.ours - case.golden) <= 1
    agreed = np.abs(case.theirs - case.golden) <= 1
    assert within.mean() >= share
    assert within[agreed].mean() >= where_agreed


def test_top1_where_the_runtimes_agree(case: Case) -> None:
    tops = [scores.argmax(axis=1) for scores in (case.golden, case.theirs, case.ours)]
    same = tops[0] == tops[1]
    np.testing.assert_array_equal(tops[2][same], tops[0][same])

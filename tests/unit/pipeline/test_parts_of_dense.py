"""A dense layer whose weights are fetched is cut the same way whoever wrote its integers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import ModelProto

from deployer.numerics import interpret
from deployer.pipeline.integer_network import outline
from deployer.pipeline.job import make_job
from deployer.pipeline.options import Options
from deployer.plan.prefetch import scheduled
from models import ModelBuilder
from qdq import QdqBuilder

INPUTS, OUTPUTS = 4096, 128  # as many weights as bytes of L2


def float_dense() -> ModelProto:
    s = ModelBuilder(1)
    return s.model(s.relu(s.gemm(s.input(1, INPUTS), INPUTS, OUTPUTS)))


def qdq_dense(*, turned: bool, matmul: bool = False) -> ModelProto:
    """Gemm, or MatMul and Add, on integers with a scale a channel."""
    s = QdqBuilder(1)
    scales = np.float32(0.004 * s.rng.uniform(0.5, 1.5, OUTPUTS))
    shape = (OUTPUTS, INPUTS) if turned else (INPUTS, OUTPUTS)
    x = s.pair(s.input(1, INPUTS), 0.05)
    weights = s.stored(s.steps(*shape), scales, axis=0 if turned else 1)
    bias = s.biased(OUTPUTS, scales * np.float32(0.05))
    if matmul:
        x = s.node("Add", s.node("MatMul", x, weights), bias)
    else:
        x = s.node("Gemm", x, weights, bias, transB=int(turned))
    return s.model(s.pair(s.node("Relu", x), 0.07, -128))


def operator_dense() -> ModelProto:
    """The operator format."""
    s = QdqBuilder(1)
    x = s.q(s.input(1, INPUTS), 0.05)
    weights = [s.constant(s.steps(INPUTS, OUTPUTS)), *s.numbers(0.004, 0)]
    out = s.node("QLinearMatMul", x, *s.numbers(0.05, 0), *weights, *s.numbers(0.07, 3))
    return s.model(s.dq(out, 0.07, 3))


MODELS = {
    "QDQ": qdq_dense(turned=True),
    "QDQ, turned": qdq_dense(turned=False),
    "QDQ, MatMul and Add": qdq_dense(turned=False, matmul=True),
    "operator": operator_dense(),
}


def parts(model: ModelProto, folder: Path) -> tuple[list[int], bool]:
    """Output channels of each part of the dense layer; whether the integers are those of one."""
    path = folder / "net.onnx"
    onnx.save(model, path)
    job = make_job(path, "gap8", options=Options())
    whole = outline(job)
    cut = scheduled(whole, job.request).graph
    found = [n for n in cut.nodes if n.op == "FullyConnected"]
    steps = np.random.default_rng(0).integers(-128, 128, (1, INPUTS)).astype(np.int8)
    given = {whole.inputs[0]: steps}
    before, after = (interpret.run(graph, given)[graph.outputs[0]] for graph in (whole, cut))
    sizes = [cut.values[node.output].shape[-1] for node in found]
    return sizes, bool((before == after).all())


@pytest.fixture(scope="module")
def of_float(tmp_path_factory: pytest.TempPathFactory) -> list[int]:
    return parts(float_dense(), tmp_path_factory.mktemp("float"))[0]


@pytest.mark.parametrize("name", MODELS)
def test_weights_of_every_origin_are_fetched_in_the_same_parts(
    name: str, of_float: list[int], tmp_path: Path
) -> None:
    assert len(of_float) > 1
    assert parts(MODELS[name], tmp_path) == (of_float, True)

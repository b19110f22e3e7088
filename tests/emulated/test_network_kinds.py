"""Networks of kinds that people have, from the exporters' words to images, bit-exact."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest

from deployer.frontend.onnx_import import import_model
from deployer.numerics.interpret import run
from deployer.pipeline.job import make_job
from deployer.pipeline.options import Options
from deployer.pipeline.prove import run_job
from deployer.pipeline.stages import execute
from emulated.targets import BOARDS
from networks_people_have import KINDS, SHAPE


@pytest.fixture
def path(kind: str, tmp_path: Path) -> Path:
    path = tmp_path / f"{kind}.onnx"
    onnx.save(KINDS[kind](), path)
    return path


@pytest.mark.parametrize("kind", KINDS)
def test_reals_are_those_of_onnx_runtime(path: Path) -> None:
    x = np.random.default_rng(2).normal(size=SHAPE).astype(np.float32)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    (expected,) = session.run(None, {"input": x})
    (found,) = run(import_model(path), {"input": x.transpose(0, 2, 3, 1)}).values()
    flat = expected if expected.ndim < 4 else expected.transpose(0, 2, 3, 1)
    assert np.allclose(found.ravel(), flat.ravel(), rtol=1e-4, atol=1e-4 * np.abs(flat).max())


@pytest.mark.parametrize("board", [board for board in BOARDS if board != "host"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_layer_is_bit_exact(path: Path, board: str, tool: Callable[[str], str]) -> None:
    for program in BOARDS[board][1]:
        tool(program)
    job = make_job(path, board, options=Options(golden_samples=2), output=path.parent)
    report = run_job(job, execute(job))
    assert report["golden"]["match"], report["golden"]
    assert all(layer["match"] for layer in report["layers"])

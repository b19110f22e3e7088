"""An LSTM keyword spotter and a GRU denoiser from file to image, bit-exact on every board."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest

from deployer.pipeline.job import make_job
from deployer.pipeline.options import Options
from deployer.pipeline.prove import run_job
from deployer.pipeline.stages import execute
from emulated.targets import BOARDS
from recurrent import Layer, denoiser, keyword_spotter, single, speech

# by name: the model, and what its samples are like
NETWORKS: dict[str, tuple[Callable[[], onnx.ModelProto], tuple[int, int]]] = {
    "spotter": (keyword_spotter, (49, 10)),
    "denoiser": (denoiser, (16, 24)),
    "states": (
        lambda: single(Layer("LSTM", 4, 6, 7, "bidirectional", states=True)),
        (4, 6),
    ),
    "resets": (lambda: single(Layer("GRU", 4, 6, 7, "reverse", states=True)), (4, 6)),
    "plain": (lambda: single(Layer("RNN", 4, 6, 7, layout=1), activations=["Relu"]), (4, 6)),
}


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("name", NETWORKS)
def test_every_step_is_bit_exact(
    name: str, board: str, tool: Callable[[str], str], tmp_path: Path
) -> None:
    for program in BOARDS[board][1]:
        tool(program)
    build, size = NETWORKS[name]
    path, samples = tmp_path / f"{name}.onnx", tmp_path / "samples.npz"
    onnx.save(build(), path)
    np.savez(samples, input=speech(*size, count=16))
    options = Options(golden_samples=2, calibration=str(samples))
    job = make_job(path, board, options=options, output=tmp_path)
    report = run_job(job, execute(job))
    assert report["golden"]["match"], report["golden"]
    assert all(layer["match"] for layer in report["layers"])

"""The kernels for NEON on a Raspberry Pi that runs a 32-bit system: ARMv7, golden integers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import onnx
import pytest

from deployer.pipeline.job import make_job
from deployer.pipeline.options import Options
from deployer.pipeline.prove import run_job
from deployer.pipeline.stages import execute
from emulated.targets import BOARDS
from models import depthwise_net, residual_net


@pytest.mark.parametrize(("bits", "threads"), [(8, 1), (8, 2), (16, 2), (16, 4)])
@pytest.mark.parametrize("net", [residual_net, depthwise_net])
def test_the_kernels_compute_the_golden_integers_on_armv7(
    net: Callable[[], onnx.ModelProto],
    bits: int,
    threads: int,
    tool: Callable[[str], str],
    tmp_path: Path,
) -> None:
    for program in BOARDS["rpi3-32"][1]:
        tool(program)
    onnx.save(net(), tmp_path / "net.onnx")
    options = Options(golden_samples=2, bits=bits, threads=threads)
    job = make_job(tmp_path / "net.onnx", "rpi3-32", options=options, output=tmp_path)
    report = run_job(job, execute(job))
    assert report["golden"]["match"], report["golden"]
    assert all(layer["kernel"].endswith("__armv8a") for layer in report["layers"])

"""Several threads of the Linux port share each step: golden integers, however many there are."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from deployer.codegen import small_steps
from deployer.pipeline.job import make_job
from deployer.pipeline.options import Options
from deployer.pipeline.prove import run_job
from deployer.pipeline.stages import execute
from emulated.targets import BOARDS
from models import ModelBuilder, depthwise_net, residual_net

CORES = (1, 2, 3, 4)


def few_pixels_net() -> onnx.ModelProto:
    """Fewer pixels than threads in places, more channels than one of them takes."""
    s = ModelBuilder(3)
    x = s.relu(s.conv(s.input(1, 5, 7, 3), (40, 5, 3, 3), strides=[3, 2]))
    x = s.relu(s.conv(x, (24, 20, 1, 1), group=2))
    x = s.node("ConvTranspose", x, s.weight(24, 9, 3, 3), strides=[2, 2])
    return s.model(s.gemm(s.node("Flatten", x), 9 * 5 * 3, 33))


NETS = {"residual": residual_net, "depthwise": depthwise_net, "few pixels": few_pixels_net}


def proven(
    net: str, cores: int, folder: Path, board: str = "rpi3", **options: Any
) -> tuple[dict[str, Any], Path]:
    """The report of a run on ``cores`` threads, and the folder of its job."""
    model = folder / "model.onnx"
    onnx.save(NETS[net](), model)
    given = Options(golden_samples=2, threads=cores, **options)
    job = make_job(model, board, options=given, output=folder / str(cores))
    return run_job(job, execute(job)), job.folder


def golden_of(job: Path) -> dict[str, np.ndarray]:
    (path,) = job.glob("7-build/golden.npz")
    return dict(np.load(path))


@pytest.mark.parametrize(("bits", "least"), [(8, 0), (16, 0), (8, 4_000)])
@pytest.mark.parametrize("net", NETS)
def test_any_number_of_threads_gives_the_golden_integers(
    net: str,
    bits: int,
    least: int,
    tool: Callable[[str], str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whether all of their steps are shared, or those of ``least`` cycles."""
    monkeypatch.setattr(small_steps, "SHARED_CYCLES", least)
    for program in BOARDS["rpi3"][1]:
        tool(program)
    golden = []
    for cores in CORES:
        report, job = proven(net, cores, tmp_path, bits=bits)
        assert report["golden"]["match"], (cores, report["golden"])
        assert all(layer["match"] for layer in report["layers"]), cores
        (record,) = (job / "8-run" / "record.jsonl").read_text().splitlines()
        assert json.loads(record)["caps"]["cores"] == str(cores)
        golden.append(golden_of(job))
    for other in golden[1:]:
        assert other.keys() == golden[0].keys()
        assert all(np.array_equal(other[name], golden[0][name]) for name in other)


@pytest.mark.parametrize("bits", [8, 16])
@pytest.mark.parametrize("net", NETS)
def test_threads_of_a_32_bit_system_compute_the_same(
    net: str, bits: int, tool: Callable[[str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(small_steps, "SHARED_CYCLES", 0)
    for program in BOARDS["rpi3-32"][1]:
        tool(program)
    report, _ = proven(net, 3, tmp_path, "rpi3-32", bits=bits)
    assert report["golden"]["match"], report["golden"]
    used = [layer["kernel"] for layer in report["layers"]]
    assert all("__armv8a" in kernel for kernel in used if "conv" in kernel)

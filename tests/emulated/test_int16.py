"""int16 and mixed activations on every board: every operator, real networks, the protocol."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from deployer.bundle import Bundle
from deployer.ir.graph import Graph
from deployer.pipeline.job import Job, make_job
from deployer.pipeline.options import Options
from deployer.pipeline.prove import run_job
from deployer.pipeline.stages import execute, open_store
from deployer.quantize.goal import parse_goal
from deployer_hil.measure import connect
from deployer_hil.runner import create
from emulated.targets import BOARDS
from unit.quantize.edge_graphs import EDGE_GRAPHS
from unit.quantize.graphs import every_operator

EVERY_SECOND = (("*_[02468]", 16), ("*_?[02468]", 16))
# graph, scheme, what is int16
CASES = {
    "joined": ("encoder_decoder", "power-of-two", {"bits": 16}),
    "gated": ("gated", "multiply-shift", {"bits": 16}),
    "moving": ("moving", "multiply-shift", {"bits": 16}),
    "mixed": ("every_operator", "power-of-two", {"bits_of": EVERY_SECOND}),
    "mixed gates": ("gated", "multiply-shift", {"bits_of": EVERY_SECOND}),
}
GRAPHS = {**EDGE_GRAPHS, "every_operator": every_operator}


def job_of(graph: Graph, board: str, folder: Path, **options: Any) -> Job:
    """A job whose import stage is done."""
    model = folder / "net.onnx"
    model.write_bytes(b"the graph stands in for the imported file")
    plain = {"golden_samples": 2, "bias_correction": "off", "equalize": "off"}
    job = make_job(model, board, options=Options(**{**plain, **options}), output=folder)
    open_store(job).put("import", graph)
    return job


def need(tool: Callable[[str], str], board: str) -> None:
    for program in BOARDS[board][1]:
        tool(program)


def first_of(samples: Path, folder: Path) -> Path:
    """Four of the twenty samples, with labels: an emulator takes a second for each."""
    arrays = np.load(samples)
    path = folder / "first.npz"
    np.savez(path, **{name: arrays[name][:4] for name in ("input", "label")})
    return path


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("case", CASES)
def test_every_layer_is_bit_exact(
    case: str, board: str, tool: Callable[[str], str], tmp_path: Path
) -> None:
    need(tool, board)
    name, scheme, widths = CASES[case]
    job = job_of(GRAPHS[name](), board, tmp_path, scheme=scheme, **widths)
    report = run_job(job, execute(job, first="quantize"))
    assert report["golden"]["match"], report["golden"]
    assert all(layer["match"] for layer in report["layers"])
    assert {layer["bits"] for layer in report["layers"]} == (
        {8, 16} if case.startswith("mixed") else {16}
    )


@pytest.mark.parametrize(
    ("model", "board", "options", "arena"),
    [
        ("mnist_dscnn", "nucleo-f767zi", {"bits": 16}, 37_632),
        ("kws_dscnn", "gap8", {"bits": 16, "scheme": "power-of-two"}, 32_000),
        ("sww_ds1d", "rpi3", {"mixed": parse_goal("ram=10752")}, 10_752),
    ],
)
def test_real_networks_are_bit_exact(
    model: str,
    board: str,
    options: dict[str, Any],
    arena: int,
    shared_models: Path,
    tool: Callable[[str], str],
    tmp_path: Path,
) -> None:
    need(tool, board)
    folder = shared_models / model
    chosen = Options(calibration=folder / "golden.npz", golden_samples=2, **options)
    job = make_job(folder / f"{model}.onnx", board, options=chosen, output=tmp_path)
    report = run_job(job, execute(job), dataset=first_of(folder / "golden.npz", tmp_path))
    assert report["golden"]["match"], report["golden"]
    assert report["memory"]["arena"] <= arena
    assert report["accuracy"]["differing_samples"] == 0
    assert report["accuracy"]["agreement"] == 1.0


def test_results_and_elements_are_those_of_int16(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    """The real numbers the device prints, and elements, not bytes, counted by the proof."""
    need(tool, "host")
    job = job_of(EDGE_GRAPHS["gated"](), "host", tmp_path, bits=16)
    store = execute(job, first="quantize")
    report = run_job(job, store)
    assert report["golden"]["elements"] == 2 * 5
    bundle: Bundle = store.get("build")
    output = bundle.manifest["outputs"][0]
    assert (output["dtype"], output["bytes"]) == ("int16", 10)
    golden = np.frombuffer(bundle.golden["output"][0].tobytes(), dtype="<i2")
    with create("host", bundle) as runner, connect(bundle, runner) as session:
        session.load(bundle.golden["input"][0].tobytes())
        session.infer(1, 0)
        assert np.allclose(session.results(), golden * output["scale"], atol=6e-4)

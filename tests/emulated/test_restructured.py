"""Restructured networks on every board: rings, tiles, strips, overlaps, the input by rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from branching import branching, deep, magnifying
from deployer.bundle import Bundle
from deployer.ir.graph import Graph
from deployer.pipeline.job import make_job
from deployer.pipeline.options import Options
from deployer.pipeline.prove import run_job
from deployer.pipeline.stages import execute, open_store
from deployer.pipeline.store import Store
from deployer.tools.zoo.build import draw, save
from emulated.targets import BOARDS, RUNS

# options, the modes its regions have
CASES: dict[str, tuple[dict[str, Any], set[str]]] = {
    "patches": ({"restructure": "alg3"}, {"patch"}),
    "rows": ({"optimize": "ram"}, {"stream"}),
    "rows of the input": ({"optimize": "ram", "stream_input": True}, {"stream"}),
    "patches of int16": ({"restructure": "alg3", "bits": 16}, {"patch"}),
    "rows of int16": ({"optimize": "ram", "bits": 16, "stream_input": True}, {"stream"}),
}


def pairs(cases: Iterable[str], left: Iterable[tuple[str, str]] = ()) -> list[tuple[str, str]]:
    """Case and run, without those in ``left``. Patches run on the twin of gap8, whose portable
    kernels take no scratch: those of its own take more than patches save in so small a network."""
    left_out = {(case, "twin of gap8") for case in cases if case != "patches"}
    every = ((case, run) for case in cases for run in RUNS)
    return [pair for pair in every if pair not in {*left_out, ("patches", "gap8"), *left}]


# NEON kernels take more scratch than patches save in this network.
SCRATCH_ABOVE_PATCHES = [
    (case, run) for case in ("patches", "patches of int16") for run in ("rpi3", "rpi3-32")
]


@pytest.mark.parametrize(("case", "run"), pairs(CASES, SCRATCH_ABOVE_PATCHES))
def test_every_piece_is_bit_exact(
    case: str, run: str, tool: Callable[[str], str], tmp_path: Path
) -> None:
    check(branching(), case, run, tool, tmp_path)


@pytest.mark.parametrize(("case", "run"), pairs(["patches", "rows of the input", "rows of int16"]))
def test_borders_and_magnifications_are_bit_exact(
    case: str, run: str, tool: Callable[[str], str], tmp_path: Path
) -> None:
    check(magnifying(), case, run, tool, tmp_path)


def check(graph: Graph, case: str, run: str, tool: Callable[[str], str], tmp_path: Path) -> None:
    board, runner, programs = RUNS[run]
    for program in programs:
        tool(program)
    given, modes = CASES[case]
    prove(graph, board, given, modes, tmp_path, runner=runner)


def test_the_stack_of_a_core_does_not_grow_with_a_region(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    for program in BOARDS["gap8"][1]:
        tool(program)
    reports = []
    for blocks in (2, 10):
        folder = tmp_path / str(blocks)
        folder.mkdir()
        reports.append(emulated(deep(blocks), "gap8", CASES["patches"][0], folder)[0])
    short, long = (report["restructured"]["regions"][0]["nodes"] for report in reports)
    assert (short, long) == (9, 41)
    assert reports[0]["memory"]["stack_used"] == reports[1]["memory"]["stack_used"]


def prove(
    graph: Graph,
    board: str,
    given: dict[str, Any],
    modes: set[str],
    tmp_path: Path,
    *,
    runner: str = "",
) -> None:
    """Every probe is right, and the arena smaller than plain."""
    report, store = emulated(graph, board, given, tmp_path, runner=runner)
    assert modes <= {region["mode"] for region in report["restructured"]["regions"]}
    assert report["restructured"]["arena"] < report["restructured"]["arena_before"]
    bundle: Bundle = store.get("build")
    assert len(bundle.golden["crc"][0]) == len(report["layers"])
    assert len(report["layers"]) < len(store.get("schedule").steps)


def emulated(
    graph: Graph, board: str, given: dict[str, Any], tmp_path: Path, *, runner: str = ""
) -> tuple[dict[str, Any], Store]:
    model = tmp_path / "net.onnx"
    model.write_bytes(b"the graph stands in for the imported file")
    options = Options(golden_samples=2, bias_correction="off", equalize="off", **given)
    job = make_job(model, board, options=options, runner=runner, output=tmp_path)
    open_store(job).put("import", graph)
    store = execute(job, first="quantize")
    report = run_job(job, store)
    assert report["golden"]["match"], report["golden"]
    assert all(layer["match"] for layer in report["layers"])
    return report, store


def test_a_network_too_large_for_a_limit_fits_restructured(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    """MobileNetV2 0.35 of 96x96 pixels: 138,240 B plain, the limit is less than half of that."""
    for program in BOARDS["nucleo-f767zi"][1]:
        tool(program)
    model, limit = tmp_path / "net.onnx", 60 << 10
    save(draw("mobilenetv2", width=0.35, resolution=(96, 96), classes=10), model)
    options = Options(golden_samples=1, ram=limit)
    job = make_job(model, "nucleo-f767zi", options=options, output=tmp_path)
    report = run_job(job, execute(job))
    assert report["golden"]["match"], report["golden"]
    assert report["memory"]["arena"] <= limit < report["restructured"]["arena_before"]
    assert report["restructured"]["added_macs"] <= 0.01 * report["restructured"]["macs_before"]

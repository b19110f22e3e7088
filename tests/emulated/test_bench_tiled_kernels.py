"""deployer bench kernels on a board of tiles: how fast kernels are, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from deployer.cli.main import main
from deployer.errors import FitError
from deployer.kernelset.kernel import case_of
from deployer.kernelset.select import by_symbol
from deployer.pipeline.golden import Golden, make_golden
from deployer.pipeline.job import make_job
from deployer.tools.bench.reference import with_noise
from deployer.tools.bench.tiled_kernels import KernelBench
from deployer.tools.bench.tiled_kernels_layers import LAYERS
from deployer.tools.bench.tiled_kernels_plan import plan_layer

assemble = import_module("deployer.pipeline.build_stage")

BENCH = KernelBench("gap8", "gap8_sim")
RATES = {  # MAC a cycle on eight cores, data in L1
    "conv3x3-by-2": 19.3,
    "conv3x3-few": 16.3,
    "conv1x1": 17,
    "conv1x1-deep": 19.4,
    "depthwise": 6.7,
    "depthwise-by-2": 3.65,
    "blocked-by-2": 5.7,
    "first": 12.2,
}
POOLS = {  # cycles an output, of a global pool an input
    "max-pool": 0.52,
    "max-pool3x3": 0.9,
    "average-pool": 3.6,
    "global-pool": 0.21,
}
OVERHEADS = {"conv3x3": 0.01, "conv1x1": 0.022, "depthwise": 0.075}  # of tiles, data in L2


@pytest.fixture
def machine(tool: Callable[[str], str]) -> None:
    for name in ("riscv64-unknown-elf-gcc", "gcc"):
        tool(name)


def status(*arguments: Any) -> int:
    with pytest.raises(SystemExit) as stop:
        main(["bench", "kernels", *map(str, arguments)])
    return int(stop.value.code or 0)


@pytest.mark.parametrize("name", RATES)
@pytest.mark.usefixtures("machine")
def test_kernels_are_as_fast_as_promised(name: str) -> None:
    found = BENCH.inside(LAYERS[name])
    assert found.work / found.cycles >= RATES[name]


@pytest.mark.parametrize("name", POOLS)
@pytest.mark.usefixtures("machine")
def test_pools_are_as_fast_as_promised_and_as_estimated(name: str, tmp_path: Path) -> None:
    layer = LAYERS[name]
    found = BENCH.inside(layer)
    assert found.cycles / found.work <= POOLS[name]
    path, options = with_noise(layer.inner, "pool", tmp_path)
    plan = plan_layer(make_job(path, "gap8", options=options, output=tmp_path), whole=True)
    estimate = by_symbol(plan.kernel).cycles
    assert estimate is not None
    assert estimate(case_of(plan.graph, plan.node)) == pytest.approx(found.cycles, rel=0.1)


@pytest.mark.usefixtures("machine")
def test_eight_cores_are_nearly_eight_times_one() -> None:
    layer = LAYERS["conv3x3"]
    found = BENCH.inside(layer)
    assert found.work / found.cycles >= 19.5
    assert 7.7 < BENCH.one_core(layer) / found.cycles < 8


@pytest.mark.parametrize("name", OVERHEADS)
@pytest.mark.usefixtures("machine")
def test_tiles_add_little(name: str) -> None:
    found = BENCH.in_tiles(LAYERS[name])
    assert found is not None
    assert found.tiles > 1
    assert 0 < found.overhead <= OVERHEADS[name]


@pytest.mark.usefixtures("machine")
def test_the_command_prints_a_row_a_layer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "kernels.json"
    assert status("-b", "gap8", "--layer", "dense", "--layer", "blocked", "-o", table) == 0
    facts = json.loads(table.read_text())
    assert (facts["kind"], facts["cores"]) == ("simulated", 8)
    assert "riscv64-unknown-elf-gcc" in facts["compiler"]
    blocked, dense = facts["rows"]
    assert (blocked["layer"], dense["layer"]) == ("blocked", "dense")
    assert blocked["inside"]["kernel"].endswith("_blocked")
    assert rate(blocked["in_tiles"]) >= 7
    assert "[2/2] dense, gap8_sim: exact" in capsys.readouterr().err
    assert rate(blocked["inside"]) >= 7.7
    assert 7 < blocked["inside"]["speed_up"] < 8
    assert rate(dense["inside"]) >= 12.6
    assert 5 <= rate(dense["in_tiles"]) < 8  # a byte of weights a product, of which 8 come a cycle


def rate(found: dict[str, Any]) -> float:
    return float(found["work"] / found["cycles"])


@pytest.mark.usefixtures("machine")
def test_gvsoc_takes_the_cycles_of_our_simulator(tool: Callable[[str], str]) -> None:
    tool("gvsoc")
    layer = LAYERS["conv3x3-few"]
    theirs = KernelBench("gap8", "gvsoc").inside(layer)
    assert BENCH.inside(layer).cycles == pytest.approx(theirs.cycles, rel=0.02)


@pytest.mark.usefixtures("machine")
def test_outputs_that_are_not_golden_are_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def other(*given: Any) -> Golden:
        golden = make_golden(*given)
        return replace(golden, crcs=golden.crcs ^ 1)

    monkeypatch.setattr(assemble, "make_golden", other)
    assert status("-b", "gap8", "--layer", "blocked-by-2", "--json") == 5
    said = capsys.readouterr()
    (row,) = json.loads(said.out)["rows"]
    assert (row["outcome"], row["inside"]) == ("differs", None)
    assert "dpl_depthwise_conv2d_s8__xpulpv2_blocked_by_2" in said.err


def test_one_tile_that_does_not_fit_is_refused() -> None:
    layer = replace(LAYERS["conv1x1"], inner=LAYERS["conv1x1"].tiled)
    with pytest.raises(FitError, match="l1 does not hold the layer in one tile"):
        BENCH.inside(layer)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["-b", "gap8", "--gate", "counts.json"], "takes no --gate for gap8"),
        (["-b", "gap8", "--network", "vww"], "takes no --network for gap8"),
        (["--layer", "dense"], "takes no --layer for nucleo-f767zi"),
        (["-b", "gap8", "--layer", "conv9x9"], "unknown layer 'conv9x9'"),
        (["-b", "gap8", "--runner", "qemu_system"], "runs a twin of gap8"),
    ],
)
def test_what_means_nothing_is_refused(
    given: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status(*given) == 2
    assert told in capsys.readouterr().err

"""One-layer networks planned whole or in tiles, and the image that counts their kernel alone."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from deployer.board.load import load_board
from deployer.build.compile import Program
from deployer.errors import BenchError, DeployerError, FitError, MismatchError, UsageError
from deployer.pipeline.job import Job, make_job
from deployer.tools.bench import tiled_kernels, tiled_kernels_image
from deployer.tools.bench.reference import with_noise
from deployer.tools.bench.tiled_kernels import Found, Inside, InTiles, KernelBench
from deployer.tools.bench.tiled_kernels_image import Counted, on_one_core
from deployer.tools.bench.tiled_kernels_layers import (
    INPUT,
    LAYERS,
    OUTPUT,
    KernelLayer,
    layers_named,
)
from deployer.tools.bench.tiled_kernels_plan import Planned, plan_layer
from deployer.tools.zoo.builder import NetworkBuilder
from deployer.tools.zoo.layers import Network

BLOCKED = "dpl_depthwise_conv2d_s8__xpulpv2_blocked"


def network(kind: str = "conv", height: int = 7, width: int = 6, channels: int = 4) -> Network:
    builder = NetworkBuilder("kernel", norm=False)
    x = builder.input(channels, height, width)
    if kind == "conv":
        x = builder.conv(x, 8, 3)
    elif kind == "pool":
        x = builder.max_pool(x, 2, stride=2)
    else:
        x = builder.depthwise(x, 3)
    return builder.network(output=x)


def job_of(net: Network, folder: Path) -> Job:
    path, options = with_noise(net, "kernel", folder)
    options = replace(options, share="off")
    return make_job(path, "gap8", options=options, output=folder, runner="gap8_sim")


def test_a_layer_is_planned_as_one_tile(tmp_path: Path) -> None:
    plan = plan_layer(job_of(network(), tmp_path), whole=True)
    assert plan.tiles == 1
    assert plan.node.op == "Conv2d"
    assert plan.kernel.startswith("dpl_conv2d_s8")
    assert plan.geometry == "7x6x4 -> 7x6x8, 3x3"
    assert plan.store.path("generate").is_dir()
    assert (plan.store.get("tile").steps[0].tile) == (1, 7, 6, 8)


def test_transposed_blocks_of_the_input_take_the_kernel_that_reads_them(tmp_path: Path) -> None:
    plan = plan_layer(job_of(network("depthwise", 7, 8), tmp_path), blocked=True, whole=True)
    assert plan.kernel == BLOCKED


def test_a_layer_that_the_inner_memory_does_not_hold_whole_is_refused_and_cut(
    tmp_path: Path,
) -> None:
    net = network("pool", 64, 64, 32)
    with pytest.raises(FitError, match="l1 does not hold the layer in one tile") as caught:
        plan_layer(job_of(net, tmp_path), whole=True)
    assert "it takes 16" in caught.value.why[0]  # 128 KiB of input, 32 KiB of output
    assert plan_layer(job_of(net, tmp_path)).tiles > 1


class Device:
    """Whose layer takes ``kernel`` cycles inside and ``step`` in all; outputs have ``crcs``."""

    tool = "a simulator"
    caps = SimpleNamespace(kind="simulated")

    def __init__(self, kernel: int = 70, step: int = 90, crcs: tuple[int, int] = (7, 7)) -> None:
        self.counts, self.crcs = (kernel, step), crcs

    def layers(self, runs: int, *, before: int) -> list[Any]:
        assert runs == 1
        return [SimpleNamespace(count=self.counts[before], crc=self.crcs[before])]


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """built(device): what is measured is that device; ``programs`` are those that were built."""
    programs: list[Program] = []

    def assembled(job: Job, store: Any, work: Path, *, adapt: Any) -> None:
        programs.append(adapt(Program(job.target, (), (), (("OTHER", "1"),))))

    def prepare(device: Device) -> list[Program]:
        @contextmanager
        def create(*given: Any) -> Any:
            yield device

        image = SimpleNamespace(
            golden={"crc": np.array([[7, 0]])}, manifest={"toolchain": {"flags": ["-O3"]}}
        )
        patches = {
            "assemble": assembled,
            "write_folder": lambda folder, fill: fill(folder),
            "create": create,
            "connect": create,
        }
        for name, value in patches.items():
            monkeypatch.setattr(tiled_kernels_image, name, value)
        monkeypatch.setattr(tiled_kernels_image.bundle, "read", lambda folder: image)
        return programs

    return prepare


def test_kernel_and_step_are_counted_apart(tmp_path: Path, built: Any) -> None:
    programs = built(Device())
    plan = plan_layer(job_of(network(), tmp_path), whole=True)
    found = tiled_kernels_image.measure(plan)
    assert found == Counted(70, 90, "simulated", "a simulator", {"flags": ["-O3"]})
    (program,) = programs
    defines = dict(program.defines)
    assert defines == {"OTHER": "1", "TIMED_KERNEL": plan.kernel}
    assert f"-Wl,--wrap={plan.kernel}" in program.board.toolchain.ldflags
    assert "-Wl,--wrap=dpl_run" in program.board.toolchain.ldflags
    assert [path.name for path in program.sources] == ["gap8_kernel.c", "timed_input.c"]
    text = program.sources[1].read_text()
    numbers = [int(word) for word in text.partition("{")[2].partition("}")[0].split(",")]
    golden = plan.store.get("quantize").inputs
    expected = np.concatenate([np.asarray(golden[name][0]).ravel() for name in golden])
    assert numbers == expected.view(np.uint8).tolist()


def test_one_core_is_told_to_the_program(tmp_path: Path, built: Any) -> None:
    programs = built(Device())
    job = on_one_core(job_of(network(), tmp_path))
    assert (job.board.cores, job.target.cores) == (1, 1)
    tiled_kernels_image.measure(plan_layer(job, whole=True))
    assert dict(programs[0].defines)["DPL_CORES"] == "1"


@pytest.mark.parametrize("crcs", [(7, 8), (8, 7), (8, 8)])
def test_figures_of_other_integers_are_none(
    tmp_path: Path, built: Any, crcs: tuple[int, int]
) -> None:
    built(Device(crcs=crcs))
    plan = plan_layer(job_of(network(), tmp_path), whole=True)
    with pytest.raises(MismatchError, match="gap8_sim does not compute the golden") as caught:
        tiled_kernels_image.measure(plan)
    assert caught.value.why == (f"7x6x4 -> 7x6x8, 3x3, {plan.kernel}",)


BENCH = KernelBench("gap8", "gap8_sim")
LAYER = KernelLayer(network(), network(height=9))


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[Planned]:
    """Plans that were measured; each of eight cores takes an eighth."""
    plans: list[Planned] = []

    def measure(plan: Planned) -> Counted:
        plans.append(plan)
        for stage in ("schedule", "tile"):  # building reads them, before their folder goes
            assert plan.store.get(stage).steps
        cores = plan.job.board.cores
        return Counted(800 // cores, 960 // cores, "simulated", "a tool", {"flags": []})

    monkeypatch.setattr(tiled_kernels, "measure", measure)
    return plans


def test_a_layer_is_measured_inside_on_one_core_and_in_tiles(measured: list[Planned]) -> None:
    row = BENCH.row("any", LAYER)
    assert row.detail == ""
    assert (row.layer, row.runner, row.outcome, row.counts) == ("any", "gap8_sim", "exact", "MAC")
    found = row.found
    assert found is not None
    assert found.inside.work == 7 * 6 * 8 * 9 * 4
    assert (found.inside.cycles, found.one_core, found.speed_up) == (100, 800, 8)
    assert (found.inside.geometry, found.inside.kind) == ("7x6x4 -> 7x6x8, 3x3", "simulated")
    assert found.inside.rule != ""
    assert found.in_tiles is not None
    assert found.in_tiles.work == 9 * 6 * 8 * 9 * 4
    assert found.in_tiles.overhead == pytest.approx(0.2)
    assert [plan.job.board.cores for plan in measured] == [8, 1, 8]
    assert all(plan.job.options.share == "off" for plan in measured)


@pytest.mark.parametrize(("counts", "work"), [(OUTPUT, 4 * 3 * 4), (INPUT, 8 * 6 * 4)])
def test_a_pool_is_counted_by_what_it_writes_or_reads(
    measured: list[Planned], counts: str, work: int
) -> None:
    pool = KernelLayer(network("pool", height=8), network("pool", height=8), counts=counts)
    assert BENCH.inside(pool).work == BENCH.in_tiles(pool).work == work


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (MismatchError("wrong", why=["conv", "more"]), "differs"),
        (FitError("large", why=["conv"]), "does not fit"),
        (BenchError("late", why=["conv"]), "failed"),
    ],
)
def test_a_row_tells_what_it_ended_in(
    monkeypatch: pytest.MonkeyPatch, error: DeployerError, outcome: str
) -> None:
    def fails(*given: Any, **options: Any) -> Any:
        raise error

    monkeypatch.setattr(tiled_kernels, "plan_layer", fails)
    row = BENCH.row("any", LAYER)
    assert (row.outcome, row.detail, row.found) == (outcome, f"{error.what}; conv", None)


def test_layers_are_asked_for_by_name() -> None:
    assert list(layers_named(())) == list(LAYERS)
    assert list(layers_named(("dense", "conv1x1"))) == ["conv1x1", "dense"]
    with pytest.raises(UsageError, match="unknown layer 'conv1x'") as caught:
        layers_named(("conv1x",))
    assert any("conv1x1" in hint for hint in caught.value.hints)


@pytest.mark.parametrize("name", LAYERS)
def test_the_layers_by_which_kernels_are_judged_fit_the_inner_memory(name: str) -> None:
    """The larger ones take no less."""
    layer, size = LAYERS[name], load_board("gap8").memory("l1").size
    assert math.prod(layer.inner.input) < size
    assert layer.tiled is None or math.prod(layer.tiled.input) >= math.prod(layer.inner.input)


def test_speed_up_and_overhead_are_shares() -> None:
    inside = Inside("g", "k", "", 10, 50, "simulated", "t", {})
    tiled = InTiles("g", 10, 2, cycles=150, inside=100)
    assert Found(inside, 100, tiled).speed_up == 2
    assert tiled.overhead == 0.5

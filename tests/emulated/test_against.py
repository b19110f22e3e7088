"""bench kernels --against: a stand-in with CMSIS-NN's arithmetic, and the library itself if given.

DEPLOYER_CMSIS_NN=LIB.a,INCLUDE names a build of upstream's release. The published figures are of
one that rounds twice, without its own assembly for requantization.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from deployer.board.load import load_board
from deployer.board.model import Board, Cache
from deployer.build.cmsis_nn import Library
from deployer.cli.main import main
from deployer.errors import BenchError, MismatchError, UsageError
from deployer.ir.plan import Schedule
from deployer.pipeline.job import make_job
from deployer.pipeline.options import Options
from deployer.pipeline.stages import execute
from deployer.tools.bench.cmsis_nn import Peer, library_of, link_app, measure
from deployer.tools.bench.cmsis_nn_jobs import KINDS
from deployer.tools.bench.kernels_table import kernels_markdown
from deployer.tools.bench.peer_rows import with_peer
from deployer.tools.timing.machine import Machine, machine_of
from deployer.tools.zoo.build import draw, save
from deployer.tools.zoo.builder import NetworkBuilder
from deployer.tools.zoo.layers import Network
from fakes.cmsis_nn_library import HEADERS
from fakes.cmsis_nn_library import build as build_stand_in
from fakes.cmsis_nn_network import called_layers

BOARD = "nucleo-f767zi"
# millions of cycles: TFLM with CMSIS-NN on an STM32F746 at 216 MHz (published in
# 2021); CMSIS-NN on an STM32H743, 2.54 times PULP-NN's 2.586 M (arXiv:1908.11263)
PUBLISHED = {"mobilenetv2-0.3@80": 27.9, "3x3 16x16x32 -> 64": 6.57}


@pytest.fixture(scope="module")
def machine(twin: Board) -> Machine:
    return machine_of(load_board(BOARD), twin)


@pytest.fixture(scope="module")
def stand_in(twin: Board, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Library]:
    """stand_in(*defines): the library of plain loops, built so."""

    def build(*defines: str) -> Library:
        built = build_stand_in(tmp_path_factory.mktemp("library"), twin.toolchain.cflags, *defines)
        return library_of(f"cmsis-nn={built.archive},{built.include}")

    return build


def _scheduled(network: Network, folder: Path, *, bits: int = 8) -> Schedule:
    path, noise = folder / "net.onnx", folder / "noise.npz"
    save(network, path)
    sample = np.random.default_rng(0).standard_normal((1, *network.input))
    np.savez(noise, input=sample.astype(np.float32))
    options = Options(equalize="off", bias_correction="off", golden_samples=1, calibration=noise)
    options = replace(options, bits=bits)
    job = make_job(path, BOARD, options=options, output=folder)
    schedule: Schedule = execute(job, last="schedule").get("schedule")
    return schedule


@pytest.fixture(scope="module")
def every_operator(tmp_path_factory: pytest.TempPathFactory) -> Schedule:
    """All that is compared, and a Concat and a leaky ReLU, which are not."""
    s = NetworkBuilder("every", norm=False, slope=0.2)
    network = s.network(output=s.dense(s.pooled(called_layers(s)), 5))
    return _scheduled(network, tmp_path_factory.mktemp("every"))


def _measured(
    library: Library,
    schedule: Schedule,
    twin: Board,
    machine: Machine,
    folder: Path,
    *,
    tight: bool = True,
) -> Peer:
    app = link_app(library, twin, folder, tight=tight)
    return measure(schedule, app, board=twin, machine=machine, work=folder)


@pytest.fixture
def peer(
    stand_in: Callable[..., Library],
    every_operator: Schedule,
    twin: Board,
    machine: Machine,
    tmp_path: Path,
) -> Callable[..., Peer]:
    """peer(*defines): every operator through the stand-in, built so."""
    return lambda *defines: _measured(stand_in(*defines), every_operator, twin, machine, tmp_path)


@pytest.mark.parametrize(("defines", "rounding"), [((), "double"), (("SINGLE",), "single")])
def test_layers_are_timed_and_their_arithmetic_recognized(
    defines: tuple[str, ...],
    rounding: str,
    peer: Callable[..., Peer],
    every_operator: Schedule,
) -> None:
    found = peer(*defines)
    assert found.rounding == rounding
    operators = {node.name: node.op for node in every_operator.graph.nodes}
    timed = {operators[name] for name in found.times}
    assert timed == set(KINDS)
    assert set(operators.values()) - timed >= {"Concat"}
    for time in found.times.values():
        assert 3 * time.instructions > time.core > 0  # plain loops divide


def test_layers_of_int16_are_timed_as_well(
    stand_in: Callable[..., Library], twin: Board, machine: Machine, tmp_path: Path
) -> None:
    s = NetworkBuilder("every", norm=False, slope=0.2)
    network = s.network(output=s.dense(s.pooled(called_layers(s)), 5))
    schedule = _scheduled(network, tmp_path, bits=16)
    found = _measured(stand_in(), schedule, twin, machine, tmp_path)
    operators = {node.name: node.op for node in schedule.graph.nodes}
    assert {operators[name] for name in found.times} == {*KINDS} - {"ConvTranspose2d"}


def test_two_runs_agree(peer: Callable[..., Peer]) -> None:
    assert peer().times == peer().times


def test_tensors_behind_the_caches_cost_misses_alone(
    stand_in: Callable[..., Library],
    every_operator: Schedule,
    twin: Board,
    machine: Machine,
    tmp_path: Path,
) -> None:
    library, small = stand_in(), replace(machine, data=Cache(1024, 4, 32))
    beside, behind = (
        _measured(library, every_operator, twin, small, tmp_path, tight=tight).times.values()
        for tight in (True, False)
    )
    assert [time.instructions for time in behind] == [time.instructions for time in beside]
    missed = [sum(time.cycles - time.core for time in times) for times in (beside, behind)]
    assert missed[1] > 1.02 * missed[0] > 0


def test_sums_are_over_layers_both_have(
    peer: Callable[..., Peer], every_operator: Schedule
) -> None:
    times = peer().times
    operators = {node.name: node.op for node in every_operator.graph.nodes}
    layers = [
        {"op": operators[step.node], "macs": 1, "instructions": 10, "core": 5, "cycles": 6}
        for step in every_operator.steps
    ]
    found = with_peer({"layers": layers}, every_operator, Peer(times, "double"))
    sums = found["against"]
    assert sums["layers"] == sums["macs"] == len(times) < len(layers)
    assert sums["ours"]["instructions"] == 10 * len(times)
    assert sums["theirs"]["core"] == sum(time.core for time in times.values())
    assert "Concat" in sums["left_out"]


def test_wrong_outputs_are_no_peer(peer: Callable[..., Peer]) -> None:
    with pytest.raises(MismatchError, match="not those of its arithmetic") as error:
        peer("WRONG=999")
    assert "first of" in str(error.value)


def test_layers_the_library_refuses_are_named(peer: Callable[..., Peer]) -> None:
    with pytest.raises(BenchError, match="refused") as error:
        peer("REFUSE")
    assert "conv0" in str(error.value)


def test_an_archive_of_something_else_does_not_link(twin: Board, tmp_path: Path) -> None:
    archive = tmp_path / "lib.a"
    archive.write_bytes(b"!<arch>\n")
    with pytest.raises(BenchError, match=r"lib\.a does not link"):
        link_app(Library(archive, HEADERS), twin, tmp_path)


@pytest.mark.parametrize(
    "text", ["cmsis-nn", "cmsis-nn=lib.a", "xnnpack=lib.a,include", "cmsis-nn=absent.a,absent"]
)
def test_a_library_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--against"):
        library_of(text)


def test_the_command_prints_both(stand_in: Callable[..., Library], tmp_path: Path) -> None:
    library = stand_in()
    given = f"cmsis-nn={library.archive},{library.include}"
    table = tmp_path / "table.json"
    arguments = ["bench", "kernels", "--network", "autoencoder", "--against", given]
    with pytest.raises(SystemExit) as stop:
        main([*arguments, "-o", str(table)])
    assert stop.value.code == 0
    facts = json.loads(table.read_text())
    network = facts["networks"][0]
    assert network["against"]["left_out"] == []
    for layer in network["layers"]:
        assert layer["against"]["instructions"] > layer["instructions"]
    text = kernels_markdown(facts)
    assert "CMSIS-NN i/MAC" in text
    assert "double rounding" in text


@pytest.fixture(scope="module")
def upstream(need: Callable[[str, bool], None]) -> Library:
    given = os.environ.get("DEPLOYER_CMSIS_NN", "")
    need("CMSIS-NN (DEPLOYER_CMSIS_NN)", bool(given))
    return library_of(f"cmsis-nn={given}")


def _published_case(name: str, machine: Machine) -> tuple[Network, Machine]:
    if name.startswith("mobilenet"):  # on an STM32F746: caches of 4 KiB
        small = replace(machine, data=Cache(4096, 4, 32), code=Cache(4096, 2, 32))
        return draw("mobilenetv2", width=0.3, resolution=(80, 80)), small
    builder = NetworkBuilder("one", norm=False)
    return builder.network(output=builder.conv(builder.input(32, 16, 16), 64, 3)), machine


@pytest.mark.parametrize("tight", [True, False], ids=["beside caches", "behind caches"])
@pytest.mark.parametrize("name", PUBLISHED)
def test_published_figures_are_met_within_the_stated_error(
    name: str,
    tight: bool,
    upstream: Library,
    twin: Board,
    machine: Machine,
    need: Callable[[str, bool], None],
    tmp_path: Path,
) -> None:
    network, board = _published_case(name, machine)
    schedule = _scheduled(network, tmp_path)
    peer = _measured(upstream, schedule, twin, board, tmp_path, tight=tight)
    need("CMSIS-NN for double rounding", peer.rounding == "double")
    core = sum(time.core for time in peer.times.values()) / 1e6
    cycles = sum(time.cycles for time in peer.times.values()) / 1e6
    published = PUBLISHED[name]
    print(f"{name}: {cycles / published - 1:+.1%}, core alone {core / published - 1:+.1%}")
    assert abs(cycles / published - 1) < machine.error
    assert core < published * (1 + machine.ratio_error)  # a lower bound, but for later kernels

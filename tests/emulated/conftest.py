"""Every small network on every board, and the small firmware: built once a session."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import onnx
import pytest

from deployer.board.load import load_board, load_twin
from deployer.board.model import Board
from deployer.bundle import Bundle
from deployer.pipeline.options import Options, make_job
from deployer.pipeline.stages import execute
from emulated.firmware.tiny_build import TARGETS, Device, build
from emulated.targets import RUNS
from models import all_nets


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Bundle]:
    """built(board, net): the bundle of one of models.all_nets for ``runner``, by default the
    board's first."""
    folder = tmp_path_factory.mktemp("bundles")

    @cache
    def bundle(board: str, net: str, *, softmax: str = "host", runner: str = "") -> Bundle:
        path = folder / f"{net}-{softmax}.onnx"
        onnx.save(all_nets()[net], path)
        options = Options(golden_samples=2, softmax=softmax)
        job = make_job(
            path, board, options=options, runner=runner, output=folder / (runner or "first")
        )
        found: Bundle = execute(job).get("build")
        return found

    return bundle


@pytest.fixture(scope="session", params=RUNS)
def real_bundle(
    request: pytest.FixtureRequest,
    built: Callable[..., Bundle],
    tool: Callable[[str], str],
) -> tuple[str, Bundle]:
    """(runner, bundle) of one small network, for each way to run a board in turn."""
    board, runner, programs = RUNS[request.param]
    for program in programs:
        tool(program)
    return runner, built(board, "residual_net", runner=runner)


@pytest.fixture(scope="session")
def twin(tool: Callable[[str], str]) -> Board:
    """What the nucleo's images are built for to run in QEMU and under the profiler."""
    for program in ("gcc", "arm-none-eabi-gcc", "qemu-system-arm"):
        tool(program)
    return load_twin(load_board("nucleo-f767zi"), "qemu_system")


@pytest.fixture(scope="session")
def image(
    tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Path]:
    """image(board): the built ELF."""
    return cache(lambda board: build(board, tool, tmp_path_factory.mktemp(board)))


@pytest.fixture(scope="session")
def start(tool: Callable[[str], str], image: Callable[[str], Path]) -> Callable[[str], Device]:
    """start(target): a fresh device whose boot lines are still unread."""

    def run(name: str) -> Device:
        target = TARGETS[name]
        return Device(target.command(image(target.board), tool))

    return run


@pytest.fixture(scope="module", params=TARGETS)
def device(request: pytest.FixtureRequest, start: Callable[[str], Device]) -> Iterator[Device]:
    """A booted device of each target, shared by the tests of a module."""
    running = start(request.param)
    running.reply()
    yield running
    running.close()


@pytest.fixture
def fresh(request: pytest.FixtureRequest, start: Callable[[str], Device]) -> Iterator[Device]:
    """A device of its own for the target named by indirect parametrization, boot lines unread."""
    running = start(request.param)
    yield running
    running.close()

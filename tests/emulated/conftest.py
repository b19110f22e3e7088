"""Every small network on every board, built once a session."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import onnx
import pytest

from deployer.board.load import load_board, load_twin
from deployer.board.model import Board
from deployer.bundle import Bundle
from deployer.pipeline.options import Options, make_job
from deployer.pipeline.stages import execute
from emulated.targets import RUNS
from models import all_nets


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Bundle]:
    """built(board, net): the bundle of one of models.all_nets for ``runner``, by default the
    board's first."""
    folder = tmp_path_factory.mktemp("bundles")

    @cache
    def build(board: str, net: str, *, softmax: str = "host", runner: str = "") -> Bundle:
        path = folder / f"{net}-{softmax}.onnx"
        onnx.save(all_nets()[net], path)
        options = Options(golden_samples=2, softmax=softmax)
        job = make_job(
            path, board, options=options, runner=runner, output=folder / (runner or "first")
        )
        bundle: Bundle = execute(job).get("build")
        return bundle

    return build


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

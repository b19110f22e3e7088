"""Images built for MLPerf Tiny's energy mode, and energy that no emulator has."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import onnx
import pytest

from deployer.bundle import read
from deployer.cli import main as cli_main
from deployer_hil.measure import connect, infer_dataset
from deployer_hil.runner import create
from fakes.boards import write_flash_twin
from models import residual_net

Run = Callable[..., int]


@pytest.fixture
def deployer(tmp_path: Path, tool: Callable[[str], str]) -> Iterator[Run]:
    """deployer("flash", …): on a board whose probe is emulated; the exit status."""
    tool("arm-none-eabi-gcc")
    tool("qemu-system-arm")
    boards = tmp_path / "boards"
    boards.mkdir()
    write_flash_twin(boards)
    model = tmp_path / "net.onnx"
    onnx.save(residual_net(), model)

    def call(*words: str) -> int:
        board = ["--board", "nucleo-fake", "--board-dir", str(boards)]
        loader = ["--loader", "fakes.fake_loader:twin"]
        with pytest.raises(SystemExit) as stop:
            cli_main.main([*words, *board, *loader, str(model)])
        return int(stop.value.code or 0)

    return call


def test_an_image_that_starts_in_energy_mode_is_proven_and_tells_no_times(
    deployer: Run, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    build = tmp_path / "build"
    assert deployer("flash", "--energy-mode", "-o", str(build), "--json") == 0
    assert json.loads(capfd.readouterr().out)["golden"]["match"]
    bundle = read(next(build.glob("*/7-build")))
    wanted = bundle.golden["output"][:2].view(np.int8)
    with create("qemu_system", bundle) as runner:
        with connect(bundle, runner) as session:
            session.load(bundle.golden["input"][0].tobytes())
            assert session.infer(2, 0).microseconds is None
            session.mode("performance")
            assert session.infer(2, 0).microseconds is not None
        found = infer_dataset(bundle, runner, bundle.golden["input"][:2])
    assert np.array_equal(found, wanted)


def test_an_emulator_has_no_energy_whatever_power_is_assumed(
    deployer: Run, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    status = deployer("bench", "energy", "--meter", "assumed:3.5W", "--work", str(tmp_path))
    told = capfd.readouterr()
    assert status == 2
    assert "pyocd has no energy of nucleo-fake" in told.err
    assert "time of an emulator is none of a board" in told.err
    assert told.out == ""

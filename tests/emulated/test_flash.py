"""``deployer flash`` from model to verdict, with the QEMU twin behind a PTY instead of a probe."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import onnx
import pytest

from deployer.cli import main as cli_main
from fakes.boards import write_flash_twin
from models import residual_net

BENCH = """
[bench.desk]
board = "nucleo-fake"
runner = "pyocd"
options = { loader = "fakes.fake_loader:twin" }
"""


@pytest.fixture
def twin_board(tmp_path: Path) -> Path:
    """A folder with the board whose probe is emulated: its images are the twin's."""
    folder = tmp_path / "boards"
    folder.mkdir()
    write_flash_twin(folder)
    return folder


@pytest.fixture
def lab_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lab with that board on a bench."""
    (tmp_path / "lab.toml").write_text(BENCH)
    monkeypatch.setenv("DEPLOYER_LAB", str(tmp_path / "lab.toml"))


@pytest.mark.parametrize(
    "place",
    [("--board", "nucleo-fake", "--loader", "fakes.fake_loader:twin"), ("--bench", "desk")],
    ids=["board", "bench"],
)
@pytest.mark.usefixtures("lab_file")
def test_flash_programs_resets_opens_the_console_and_compares(
    place: tuple[str, ...],
    twin_board: Path,
    tmp_path: Path,
    tool: Callable[[str], str],
    capfd: pytest.CaptureFixture[str],
) -> None:
    tool("arm-none-eabi-gcc")
    tool("qemu-system-arm")
    model = tmp_path / "net.onnx"
    onnx.save(residual_net(), model)
    arguments = [
        "flash", *place, "--board-dir", twin_board, "-o", tmp_path / "build", "--json", model,
    ]  # fmt: skip
    with pytest.raises(SystemExit) as stop:
        cli_main.main([str(argument) for argument in arguments])
    said = capfd.readouterr()
    assert not stop.value.code, said.err
    report = json.loads(said.out)
    assert report["runner"] == "pyocd"
    assert report["image"]["of"] == "twin"
    assert report["golden"]["weights"] is None
    assert report["golden"]["match"]
    assert all(layer["match"] for layer in report["layers"])
    # the twin counts instructions, a probe's board cycles: neither may pass for the other
    assert report["counter"]["kind"] == "none"

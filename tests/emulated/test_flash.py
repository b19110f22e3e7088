"""``deployer flash`` from model to verdict, with the QEMU twin behind a PTY instead of a probe."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import onnx
import pytest

from deployer.cli import main as cli_main
from deployer.resources import data_root
from models import residual_net


@pytest.fixture
def twin_board(tmp_path: Path) -> Path:
    """A folder with the board whose probe is emulated: its images are the twin's."""
    folder = tmp_path / "boards"
    folder.mkdir()
    text = (data_root() / "boards" / "nucleo-f767zi.toml").read_text()
    text = text.replace('"nucleo-f767zi"', '"nucleo-fake"', 1)
    text = re.sub(r"(\[runners\.pyocd\]\n)", r'\1twin = "qemu-fake"\n', text)
    (folder / "nucleo-fake.toml").write_text(text)
    twin = (data_root() / "boards" / "qemu-mps2-an500.toml").read_text()
    (folder / "qemu-fake.toml").write_text(
        twin.replace('"qemu-mps2-an500"', '"qemu-fake"', 1).replace(
            '"nucleo-f767zi"', '"nucleo-fake"'
        )
    )
    return folder


def test_flash_programs_resets_opens_the_console_and_compares(
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
        "flash", "--board", "nucleo-fake", "--board-dir", twin_board, "-o", tmp_path / "build",
        "--loader", "fakes.fake_loader:twin", "--json", model,
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

"""``deployer flash`` of a GAPuino: a fake OpenOCD, and gap8_sim with the image behind a console."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import onnx
import pytest

from deployer.bundle import Bundle
from deployer.cli import main as cli_main
from deployer.errors import BenchError
from deployer_hil.measure import prove
from deployer_hil.runner import create
from fakes.fake_openocd import FakeOpenocd, Gapuino
from models import residual_net


@pytest.fixture
def board(tool: Callable[[str], str]) -> Iterator[Gapuino]:
    for name in ("riscv64-unknown-elf-gcc", "gcc"):
        tool(name)
    with Gapuino() as found:
        yield found


@pytest.fixture
def openocd(board: Gapuino, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeOpenocd:
    for name in ("GAP_SDK_HOME", "OPENOCD_SCRIPTS", "GAP_OPENOCD_TOOLS", "GAPY_OPENOCD_CABLE"):
        monkeypatch.delenv(name, raising=False)
    fake = FakeOpenocd(tmp_path / "a folder", board=board.address)
    monkeypatch.setenv("PATH", f"{fake.program.parent}:/usr/bin:/bin")
    return fake


@pytest.fixture
def flash(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """flash(*more arguments): status, output and errors of the command."""
    model = tmp_path / "net.onnx"
    onnx.save(residual_net(), model)

    def run(*more: str) -> tuple[int, str, str]:
        arguments = ["flash", "-b", "gap8", "-o", str(tmp_path / "build"), *more, str(model)]
        with pytest.raises(SystemExit) as stop:
            cli_main.main(arguments)
        said = capfd.readouterr()
        return int(stop.value.code or 0), said.out, said.err

    return run


def test_the_image_is_loaded_started_and_proved(
    board: Gapuino, openocd: FakeOpenocd, flash: Callable[..., tuple[int, str, str]]
) -> None:
    status, out, errors = flash("--port", board.port, "--json")
    assert status == 0, errors
    report = json.loads(out)
    assert (report["runner"], report["board"]) == ("openocd", "gap8")
    assert report["golden"]["match"]
    assert all(layer["match"] for layer in report["layers"])
    assert report["counter"]["kind"] == "measured"
    assert board.entries == [0x1C000080]
    (call,) = openocd.calls
    assert "ftdi_serial" not in " ".join(call)


@pytest.mark.parametrize(
    ("trouble", "told"),
    [
        ({"says": ["Error: unable to open ftdi device"], "status": 1}, "finds no cable"),
        ({"says": ["Error: timed out while loading"], "status": 1}, "timed out while loading"),
        ({"status": 0}, "ended with status 0 before the image ran"),
    ],
)
def test_what_openocd_cannot_do_ends_with_status_6(
    trouble: dict[str, object],
    told: str,
    board: Gapuino,
    openocd: FakeOpenocd,
    flash: Callable[..., tuple[int, str, str]],
) -> None:
    openocd.has(**trouble)
    status, out, errors = flash("--port", board.port)
    assert status == 6
    assert told in errors
    assert "Traceback" not in errors
    assert out == ""
    assert board.entries == []


def test_an_earlier_image_that_runs_on_is_refused(
    board: Gapuino, openocd: FakeOpenocd, built: Callable[..., Bundle]
) -> None:
    first, second = (built("gap8", net, runner="openocd") for net in ("residual_net", "conv_net"))
    with create("openocd", first, port=board.port) as runner:
        assert prove(first, runner, samples=1).golden.match
    board.deaf = True
    with (
        create("openocd", second, port=board.port) as runner,
        pytest.raises(BenchError, match="image"),
    ):
        prove(second, runner, samples=1)

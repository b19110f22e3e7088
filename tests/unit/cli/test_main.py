"""The command line without a model: help, usage, statuses, speed."""

from __future__ import annotations

import errno
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from deployer.cli import main as cli_main


def status(arguments: list[str]) -> int:
    with pytest.raises(SystemExit) as stop:
        cli_main.main(arguments)
    return int(stop.value.code or 0)


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert status(["--help"]) == 0
    out = capsys.readouterr().out
    assert all(name in out for name in cli_main.COMMANDS)


@pytest.mark.parametrize("name", list(cli_main.COMMANDS))
def test_every_command_has_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert status([name, "--help"]) == 0
    assert "Usage: deployer" in capsys.readouterr().out


def test_help_is_quick_because_nothing_heavy_is_imported() -> None:
    code = (
        "import sys; from deployer.cli import main\n"
        "try: main.main(['--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'onnx', 'ortools', 'rich', 'jinja2', 'pyocd'} & set(sys.modules)\n"
        "sys.exit(str(heavy) if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("arguments", "expected", "text"),
    [
        (["frobnicate"], 2, "No such command"),
        (["run", "model.onnx"], 2, "--board"),
        (["run", "-b", "nucleo", "m.onnx"], 2, "did you mean nucleo-f767zi?"),
        (["run", "-b", "nucleo-f767zi", "--runner", "pyocdd", "m.onnx"], 2, "qemu_system"),
        (["run", "-b", "host", "--until", "tiel", "m.onnx"], 2, "tile"),
        (["run", "-b", "host", "--input-shape", "x=1,a", "m.onnx"], 2, "NAME=D,D"),
        (["run", "-b", "host", "--input-scale", "1/0", "m.onnx"], 2, "1/255"),
        (["run", "-b", "host", "absent.onnx"], 3, "absent.onnx"),
        (["inspect", "absent"], 2, "absent"),
    ],
)
def test_wrong_usage_says_what_to_try(
    arguments: list[str], expected: int, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status(arguments) == expected
    said = capsys.readouterr()
    assert text in said.err
    assert "Traceback" not in said.err
    assert said.out == ""


def test_boards_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert status(["boards", "--json"]) == 0
    names = {board["name"] for board in json.loads(capsys.readouterr().out)}
    assert {"nucleo-f767zi", "gap8", "rpi3", "host"} <= names


def test_doctor_names_what_each_tool_enables(capsys: pytest.CaptureFixture[str]) -> None:
    assert status(["doctor", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["tools"]
    assert {"arm-none-eabi-gcc", "qemu-system-arm", "pyocd"} <= {row["name"] for row in rows}
    assert all(row["enables"] and row["install"] for row in rows)


def test_doctor_says_what_our_simulator_takes(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for path, there in (("/usr/bin:/bin", bool(shutil.which("gcc"))), (str(tmp_path), False)):
        monkeypatch.setenv("PATH", path)
        assert status(["doctor", "--json"]) == 0
        rows = json.loads(capsys.readouterr().out)["tools"]
        row = next(row for row in rows if row["name"] == "gap8_sim")
        assert (row["version"] is not None) == there
        assert row["enables"].endswith("gap8")
        assert row["install"] == "apt-get install gcc"


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (
            MemoryError("Unable to allocate 3 GiB"),
            6,
            "error: this machine has no memory left\n  Unab",
        ),
        (MemoryError(), 6, "error: this machine has no memory left\n  try: close other programs"),
        (OSError(errno.ENOSPC, "No space"), 6, "error: the system refuses what this needs"),
        (KeyError("conv"), 1, "bug: KeyError: 'conv'\n  this is our fault"),
    ],
)
def test_what_no_command_expected_is_told_with_its_status(
    error: Exception,
    status: int,
    said: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fails(*given: object, **named: object) -> None:
        raise error

    monkeypatch.setattr(cli_main.cli, "main", fails)
    with pytest.raises(SystemExit) as ended:
        cli_main.main(["boards"])
    assert ended.value.code == status
    assert capsys.readouterr().err.startswith(said)

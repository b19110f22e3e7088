"""``deployer lab`` and --bench: tables, JSON, exit status, what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from deployer.cli.jobs import bench_board
from deployer.cli.jobs import deploy as jobs
from deployer.cli.main import main
from deployer_hil import lab, locks, probe, serial_ports

LAB = """
[bench.nucleo-1]
board = "nucleo-f767zi"
runner = "pyocd"
probe = "066B"
serial = "{console}"
baud = 921_600

[bench.pc]
board = "host"
runner = "host"
tags = ["nightly"]

[bench.lost]
board = "nucleo-f767z"
runner = "pyocd"
probe = "066B"
"""


@pytest.fixture(autouse=True)
def lab_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The lab of this machine, which has no probes and one console."""
    monkeypatch.setenv(locks.FOLDER, str(tmp_path / "locks"))
    monkeypatch.setattr(serial_ports, "ports", lambda: ())
    monkeypatch.setattr(probe, "connected", lambda: ())
    (tmp_path / "ttyACM0").touch()
    path = tmp_path / "lab.toml"
    path.write_text(LAB.format(console=tmp_path / "ttyACM0"))
    monkeypatch.setenv("DEPLOYER_LAB", str(path))
    return path


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, Any]]:
    """Requests that were carried out, with the options of their runner, while the bench is held."""
    found: list[tuple[Any, Any]] = []

    def carried(request: Any, given: Any, *, runner_options: Any) -> None:
        holder = locks.holder_of("bench nucleo-1") or locks.holder_of("bench pc")
        found.append((request, {**runner_options, "bench held": holder is not None}))

    monkeypatch.setattr(jobs, "carry_out", carried)
    return found


def called(*words: object) -> int:
    with pytest.raises(SystemExit) as stop:
        main([str(word) for word in words])
    return int(stop.value.code or 0)


def test_list_tells_of_every_bench(capsys: pytest.CaptureFixture[str]) -> None:
    with lab.hold(lab.read_lab(lab.find_lab(None)).bench("pc")):
        assert called("lab", "list") == 0
    said = " ".join(capsys.readouterr().out.replace("│", " ").split())
    assert "probe 066B is not connected" in said
    assert "held by process" in said
    assert "unknown board 'nucleo-f767z'" in said
    assert "nightly" in said


def test_list_as_json(capsys: pytest.CaptureFixture[str], lab_file: Path) -> None:
    assert called("lab", "list", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    nucleo, pc, _ = told["benches"]
    assert told["lab"] == str(lab_file)
    assert (nucleo["name"], nucleo["connected"], nucleo["free"]) == ("nucleo-1", False, True)
    assert nucleo["device"] == str(lab_file.parent / "ttyACM0")
    assert "probe 066b is also of bench lost" in nucleo["troubles"]
    assert (pc["connected"], pc["holder"], pc["troubles"]) == (True, None, [])


def test_check_fails_with_bench_and_cause(capsys: pytest.CaptureFixture[str]) -> None:
    assert called("lab", "check") == 6
    said = capsys.readouterr()
    assert "2 of 3 benches failed: nucleo-1, lost" in said.err
    assert "nucleo-1: probe: no debug probe found" in said.err
    assert "lost: bench: unknown board 'nucleo-f767z'" in said.err
    assert "skipped" in said.out


def test_check_of_one_bench_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert called("lab", "check", "pc", "--json") == 0
    (found,) = json.loads(capsys.readouterr().out)["benches"]["pc"]
    assert (found["test"], found["passed"]) == ("program", None)


def test_check_of_a_bench_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert called("lab", "check", "nucleo") == 2
    assert "did you mean nucleo-1?" in capsys.readouterr().err


def test_a_runner_that_the_board_has_not_is_told(
    lab_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lab_file.write_text('[bench.a]\nboard = "host"\nrunner = "pyocd"\n')
    assert called("lab", "check") == 6
    assert "host has no runner 'pyocd'" in capsys.readouterr().err


def test_without_a_lab_file_it_says_where_it_looked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("DEPLOYER_LAB")
    monkeypatch.chdir(tmp_path / "..")
    assert called("lab", "list") == 2
    assert "looked for: --lab, $DEPLOYER_LAB, lab.toml in this folder" in capsys.readouterr().err


def test_flash_uses_the_benchs_probe_port_and_rate(
    asked: list[tuple[Any, Any]], tmp_path: Path
) -> None:
    assert called("flash", "--bench", "nucleo-1", "m.onnx") == 0
    ((request, options),) = asked
    assert (request.board, request.runner, request.baud) == ("nucleo-f767zi", "pyocd", 921_600)
    assert options.pop("held")[0] == "bench nucleo-1"
    assert options == {
        "probe": "066B",
        "port": str(tmp_path / "ttyACM0"),
        "baud": 921_600,
        "bench held": True,
    }
    assert locks.holder_of("bench nucleo-1") is None


def test_run_uses_the_benchs_runner(asked: list[tuple[Any, Any]], lab_file: Path) -> None:
    assert called("run", "--lab", lab_file, "--bench", "pc", "m.onnx") == 0
    ((request, options),) = asked
    assert (request.board, request.runner, options) == ("host", "host", {"bench held": True})


def test_bench_board_measures_on_the_bench(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[Any] = []

    def measured(job: Any, options: Any, *more: Any) -> None:
        found.append((job.board.name, job.runner, options["probe"]))
        raise KeyboardInterrupt

    monkeypatch.setattr(bench_board, "measure_model", measured)
    assert called("bench", "board", "--bench", "nucleo-1", "m.onnx") == 130
    assert found == [("nucleo-f767zi", "pyocd", "066B")]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("flash", "m.onnx"), "Missing option '-b' / '--board' or '--bench'"),
        (("flash", "--bench", "pc", "m.onnx"), "bench pc is reached by host, this command by"),
        (("flash", "--bench", "pc", "m.onnx"), "deployer run --bench pc m.onnx"),
        (("flash", "--bench", "nucleo-1", "--probe", "1", "m.onnx"), "--probe: bench nucleo-1 has"),
        (("run", "--bench", "pc", "-b", "host", "--runner", "x", "m"), "--board and --runner: "),
        (("run", "--bench", "nobody", "m.onnx"), "no bench 'nobody'"),
        (("run", "-b", "host", "--lab", "x.toml", "m.onnx"), "--lab is for --bench"),
        (("run", "--bench", "lost", "m.onnx"), "unknown board 'nucleo-f767z'"),
    ],
)
def test_what_does_not_go_with_a_bench_is_refused(
    words: tuple[str, ...],
    said: str,
    asked: list[tuple[Any, Any]],
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert called(*words) == 2
    assert said in capsys.readouterr().err
    assert asked == []


def test_a_bench_in_use_is_not_built_for(
    asked: list[tuple[Any, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    with lab.hold(lab.read_lab(lab.find_lab(None)).bench("pc")):
        assert called("run", "--bench", "pc", "m.onnx") == 6
    said = capsys.readouterr().err
    assert "error: bench pc is held by process" in said
    assert "Traceback" not in said
    assert asked == []

"""What the bench commands ask for, refuse and end with; what they measure is stood in for."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deployer.cli import main as cli_main
from deployer.cli.jobs import (
    bench_board,
    bench_kernels,
    bench_model,
    bench_tiled_kernels,
    bench_tiles,
)
from deployer.errors import FitError
from deployer.pipeline.job import Job
from deployer.pipeline.options import Options
from deployer.tools import bench as front_door
from deployer.tools.bench import kernels
from deployer.tools.bench.fits import FitsRequest
from deployer.tools.bench.reference import NETWORKS
from deployer.tools.bench.row import DIFFERS, EXACT, FAILED, LIMIT, NO_FIT
from deployer.tools.bench.tiles import TilesRequest
from deployer_hil import Load, Replay
from deployer_hil.energy.meters import replay
from unit.tools.bench.tiled_rows import row as tiled_row
from unit.tools.bench.timed_nets import timed

Run = Callable[..., int]


@pytest.fixture
def bench() -> Run:
    """bench("fits", …): the exit status."""

    def call(*arguments: object) -> int:
        with pytest.raises(SystemExit) as stop:
            cli_main.main(["bench", *map(str, arguments)])
        return int(stop.value.code or 0)

    return call


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, Any]]]:
    """Commands that were carried out, with what they were given."""
    found: list[tuple[str, dict[str, Any]]] = []
    jobs = {
        "model": bench_model,
        "board": bench_board,
        "kernels": bench_kernels,
        "tiled kernels": bench_tiled_kernels,
        "tiles": bench_tiles,
    }
    for name, job in jobs.items():
        monkeypatch.setattr(job, "carry_out", lambda given, name=name: found.append((name, given)))
    return found


@pytest.mark.parametrize(
    ("arguments", "command"),
    [
        (("-b", "nucleo-f767zi", "net.onnx"), "model"),
        (("--board", "gap8", "net.onnx"), "tiles"),
        (("--board=gap8", "net.onnx"), "tiles"),
        (("net.onnx", "-b", "gap8"), "tiles"),
        (("net.onnx", "-b", "nucleo-f767zi"), "model"),
        (("model", "-b", "nucleo-f767zi", "net.onnx"), "model"),
    ],
)
def test_without_a_command_the_board_decides(
    arguments: tuple[str, ...], command: str, bench: Run, asked: list[Any]
) -> None:
    assert bench(*arguments) == 0
    assert [(name, given["models"]) for name, given in asked] == [(command, _models(command))]


def _models(command: str) -> tuple[object, ...]:
    return ("net.onnx",) if command == "tiles" else (Path("net.onnx"),)


@pytest.mark.parametrize("word", ["loose", "measured"])
def test_rules_are_named_in_small_letters(
    bench: Run, asked: list[tuple[str, dict[str, Any]]], word: str
) -> None:
    assert bench("kernels", "--issue-rules", word) == 0
    ((name, given),) = asked
    assert (name, given["issue_rules"]) == ("kernels", word)


def test_an_unknown_board_without_a_command_is_told_by_name(
    bench: Run, asked: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    bench("-b", "nothing", "net.onnx")
    assert [name for name, _ in asked] == ["model"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("-b", "gap8", "--network", "kws"), "takes no --network for gap8"),
        (("-b", "gap8", "--place", "auto"), "takes no --place for gap8"),
        (("--layer", "conv"), "takes no --layer for nucleo-f767zi"),
        (("--runner", "gap8_sim"), "takes no --runner for nucleo-f767zi"),
    ],
)
def test_kernels_refuse_options_of_the_other_kind_of_board(
    arguments: tuple[str, ...],
    said: str,
    bench: Run,
    asked: list[Any],
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert bench("kernels", *arguments) == 2
    assert said in capsys.readouterr().err
    assert asked == []


def test_kernels_of_a_board_with_tiles_are_measured_one_by_one(
    bench: Run, asked: list[Any]
) -> None:
    assert bench("kernels", "-b", "gap8", "--runner", "gap8_sim, gvsoc,gap8_sim") == 0
    assert bench("kernels", "--network", "kws") == 0
    assert [name for name, _ in asked] == ["tiled kernels", "kernels"]
    assert asked[0][1]["runners"] == ("gap8_sim", "gvsoc")


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> list[Job]:
    """Jobs that were timed, of 100 and 50 instructions each."""
    found: list[Job] = []

    def time(job: Job, machine: object, name: str = "") -> Any:
        found.append(job)
        return timed(100, 50, name=name or job.model.stem)

    for module in (bench_model, kernels):
        monkeypatch.setattr(module, "time_model", time)
    monkeypatch.setattr(
        kernels,
        "reference_model",
        lambda name, folder: (folder / f"{name}.onnx", Options(seed=7)),
    )
    return found


def test_kernels_of_the_networks_asked_for_in_the_tables_order(
    bench: Run, built: list[Job], capsys: pytest.CaptureFixture[str]
) -> None:
    names = list(NETWORKS)
    last, first = names[3], names[1]
    assert bench("kernels", "--network", last, "--network", first, "--json") == 0
    said = capsys.readouterr()
    assert [net["name"] for net in json.loads(said.out)["networks"]] == [first, last]
    assert f"{first}: 150 instructions" in said.err
    assert {(job.runner, job.options.seed) for job in built} == {("qemu_system", 7)}


def test_kernels_of_an_unknown_network_are_refused_with_the_known(
    bench: Run, built: list[Job], capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench("kernels", "--network", "nothing") == 2
    said = capsys.readouterr().err
    assert all(name in said for name in NETWORKS)
    assert built == []


def test_models_are_timed_with_the_options_given(
    bench: Run, built: list[Job], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    work = tmp_path / "work"
    given = ("--seed", 3, "--work", work, "-o", tmp_path / "table.json")
    assert bench("model", "-b", "nucleo-f767zi", "a.onnx", "b.onnx", *given) == 0
    assert [(job.model.name, job.folder.parent, job.options.seed) for job in built] == [
        ("a.onnx", work, 3),
        ("b.onnx", work, 3),
    ]
    facts = json.loads((tmp_path / "table.json").read_text())
    assert [net["name"] for net in facts["networks"]] == ["a", "b"]


def test_two_models_of_one_name_are_refused(
    bench: Run, built: list[Job], capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench("model", "-b", "nucleo-f767zi", "x/a.onnx", "y/a.onnx") == 2
    assert "two models have one name" in capsys.readouterr().err
    assert built == []


def test_a_gate_is_written_passed_and_missed(
    bench: Run, built: list[Job], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gate = tmp_path / "gate.json"
    command = ("model", "-b", "nucleo-f767zi", "a.onnx", "--gate", gate)
    assert bench(*command, "--update-baseline", "the first") == 0
    assert bench(*command) == 0
    counts = gate.read_text()
    assert '"count": 100' in counts
    gate.write_text(counts.replace('"count": 100', '"count": 99'))
    assert bench(*command) == 7


COMMANDS = {
    "model": ("-b", "nucleo-f767zi", "a.onnx"),
    "board": ("-b", "nucleo-f767zi", "a.onnx"),
    "kernels": (),
    "fits": ("mobilenetv1", "--width", "0.5", "--resolution", "96"),
    "tiles": ("cifar10",),
}


@pytest.mark.parametrize("name", ["absent/table.md", "table.txt"])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_table_that_could_not_be_written_is_refused_before_hours_of_work(
    command: str,
    name: str,
    bench: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def work(*arguments: object, **named: object) -> None:
        raise AssertionError("work has begun")

    for module, function in (
        (bench_model, "time_model"),
        (kernels, "time_model"),
        (bench_board, "measure_model"),
        (bench_tiles, "tiles_rows"),
        (front_door, "fits_rows"),
    ):
        monkeypatch.setattr(module, function, work)
    assert bench(command, *COMMANDS[command], "-o", tmp_path / name) == 2
    assert str(tmp_path / name).removesuffix("/table.md") in capsys.readouterr().err


def test_a_board_is_measured_with_the_probe_and_options_given(
    bench: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seen: list[tuple[Job, Any]] = []
    loads: list[Load] = []

    def measure(job: Job, options: Any, load: Load, source: object, log: object) -> None:
        seen.append((job, options))
        loads.append(load)
        assert (source, log) == (None, None)

    monkeypatch.setattr(bench_board, "measure_model", measure)
    monkeypatch.setattr(bench_board, "board_time_facts", lambda found: {"found": found})
    given = ("--probe", "066A", "--port", "/dev/ttyX", "--seed", 5, "--work", tmp_path, "--json")
    load = ("--inferences", 20, "--warmup", 3, "--cold-starts", 2)
    assert bench("board", "-b", "nucleo-f767zi", "a.onnx", *given, *load) == 0
    assert loads == [Load(20, 3, 2)]
    ((job, options),) = seen
    assert (job.runner, job.options.seed, job.folder.parent) == ("pyocd", 5, tmp_path)
    assert (options["probe"], options["port"], options["model"]) == ("066A", "/dev/ttyX", "a.onnx")


@pytest.mark.parametrize(
    ("words", "runner", "options"),
    [
        (("-b", "nucleo-f767zi", "--runner", "qemu_system"), "qemu_system", {}),
        (("-b", "gap8", "--runner", "gap8_sim"), "gap8_sim", {}),
        (("-b", "gap8"), "openocd", {"model": "a.onnx"}),
        (("-b", "rpi3", "--host", "pi@pi"), "ssh", {"host": "pi@pi", "model": "a.onnx"}),
    ],
)
def test_bench_board_reaches_boards_and_emulators_that_count(
    words: tuple[str, ...],
    runner: str,
    options: dict[str, str],
    bench: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[tuple[str, Any]] = []
    monkeypatch.setattr(
        bench_board, "measure_model", lambda job, options, *more: seen.append((job.runner, options))
    )
    monkeypatch.setattr(bench_board, "board_time_facts", lambda found: {"found": found})
    assert bench("board", *words, "a.onnx", "--json") == 0
    assert seen == [(runner, options)]


def test_bench_board_takes_no_recording(
    bench: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(replay, "create_meter", lambda spec: Replay(spec, ()))
    assert bench("board", "-b", "nucleo-f767zi", "a.onnx", "--meter", "replay:trace.npz") == 2
    assert "a recording is of another run" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("outcomes", "status"),
    [
        (("", EXACT, f"{EXACT}, 1,000 instructions"), 0),
        ((EXACT, f"{DIFFERS}: conv_1"), 5),
        ((f"{LIMIT}: 900 s", f"{DIFFERS}: conv_1"), 5),
        ((EXACT, f"{LIMIT}: 900 s"), 7),
        ((f"{FAILED}: no compiler",), 6),
    ],
)
def test_a_point_that_is_not_proven_decides_how_fits_ends(
    outcomes: tuple[str, ...],
    status: int,
    bench: Run,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    class Row:
        def __init__(self, emulated: str) -> None:
            self.emulated = emulated

    seen: list[FitsRequest] = []

    def rows(request: FitsRequest) -> Iterator[Row]:
        seen.append(request)
        yield from map(Row, outcomes)

    monkeypatch.setattr(front_door, "fits_rows", rows)
    monkeypatch.setattr(front_door, "fits_facts", lambda rows, board: {"rows": len(rows)})
    given = ("--width", 0.5, "--resolution", 96, "--prove", "--limit", 5, "--json")
    assert bench("fits", "mobilenetv1", *given) == status
    (request,) = seen
    assert request.points == (("mobilenetv1", 0.5, 96),)
    assert (request.prove, request.seconds, request.board) == (True, 5, "nucleo-f767zi")


def test_points_that_cannot_be_drawn_are_refused_before_the_first(
    bench: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench("fits", "nothing", "--width", 0.5, "--resolution", 96) == 2
    assert "nothing" in capsys.readouterr().err


@pytest.fixture
def tiles_asked(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], list[TilesRequest]]:
    """tiles_asked(outcome): requests; each ends with a row of that outcome behind an exact one."""

    def prepare(outcome: str) -> list[TilesRequest]:
        seen: list[TilesRequest] = []

        def rows(request: TilesRequest) -> Iterator[Any]:
            seen.append(request)
            yield tiled_row(700, 1500, 30)
            yield replace(tiled_row(700, 1500, 30, inner=32), outcome=outcome, detail="why")

        monkeypatch.setattr(bench_tiles, "tiles_rows", rows)
        return seen

    return prepare


@pytest.mark.parametrize(("outcome", "status"), [(EXACT, 0), (NO_FIT, 0), (DIFFERS, 5), (LIMIT, 7)])
def test_the_worst_row_decides_how_tiles_end(
    outcome: str, status: int, bench: Run, tiles_asked: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    seen = tiles_asked(outcome)
    given = ("--tiler", "cost,dory", "--l1", "64KiB, 32KiB", "--l2", "512KiB")
    assert bench("tiles", *given, "cifar10", "cifar10") == status
    (request,) = seen
    assert (request.models, request.tilers) == (("cifar10",), ("cost", "dory"))
    assert (request.inner, request.outer) == ((65536, 32768), (524288,))
    said = capsys.readouterr().err
    assert "2,230 cycles" in said
    assert ("1 of 2 rows" in said) == (status != 0)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--l1", "64KiB,,32KiB"), "empty part"),
        (("--runner", "nothing"), "nothing"),
        (("-b", "nucleo-f767zi"), "nucleo-f767zi"),
        (("unknown_net",), "unknown_net"),
        (("--plot", "plot.png"), "plot.png"),
    ],
)
def test_what_tiles_cannot_run_is_refused_before_the_first_row(
    arguments: tuple[str, ...],
    said: str,
    bench: Run,
    tiles_asked: Any,
    capsys: pytest.CaptureFixture[str],
) -> None:
    seen = tiles_asked(EXACT)
    assert bench("tiles", *arguments) == 2
    assert said in capsys.readouterr().err
    assert seen == []


def test_allocators_are_compared_on_the_instances_of_a_folder(
    bench: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "one.csv").write_text("id,lower,upper,size\na,0,2,4\nb,1,3,6\nc,2,4,3\n")
    table = tmp_path / "out" / "table.md"
    table.parent.mkdir()
    given = ("memory", "--instances", tmp_path, "--no-restructuring")
    assert bench(*given, "-o", table) == 0
    assert table.read_text() == capsys.readouterr().out
    assert bench(*given, "--json") == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["schema"] == 1
    assert {each["bytes"] for each in facts["results"] if "bytes" in each} <= {10}
    assert facts["sets"]


def test_an_error_of_a_job_is_the_commands(bench: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(given: dict[str, Any]) -> None:
        raise FitError("nothing fits")

    monkeypatch.setattr(bench_board, "carry_out", fail)
    assert bench("board", "-b", "nucleo-f767zi", "net.onnx") == 4

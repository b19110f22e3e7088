"""What the commands that run jobs ask for, and what they do with what comes of it."""

from __future__ import annotations

import contextlib
import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from deployer.choices import DbInput, Mlperf
from deployer.cli.jobs import deploy as jobs
from deployer.cli.jobs import library as library_job
from deployer.cli.jobs.deploy import JobRequest
from deployer.cli.jobs.library import LibraryRequest
from deployer.cli.main import main
from deployer.errors import FitError, UsageError
from deployer.pipeline.artifacts import Ran
from deployer.pipeline.options import Options

PLAIN = JobRequest(
    model=Path("m.onnx"), board="host", runner="", first="import", last="run", dataset=None,
    output=Path("build"), board_dir=None, as_json=False,
)  # fmt: skip


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What each command hands over: how, the request, and more."""
    found: list[Any] = []

    def carried(request: JobRequest, given: dict[str, Any], **more: Any) -> None:
        found.append(("run", request, more))

    monkeypatch.setattr(jobs, "carry_out", carried)
    monkeypatch.setattr(
        jobs, "build_only", lambda request, given: found.append(("build", request, {}))
    )

    def library(requests: Any, given: Any, originals: Any, wanted: LibraryRequest) -> None:
        found.append(("library", requests, wanted))

    monkeypatch.setattr(library_job, "build_library", library)
    return found


def called(*words: str) -> int:
    with pytest.raises(SystemExit) as stop:
        main(list(words))
    return int(stop.value.code or 0)


REACH = {"probe": "1", "port": "p", "baud": 115_200, "model": "m.onnx"}
LIBRARY = LibraryRequest(Path("lib"), "own", False)
ASKED: list[tuple[str, Any]] = [
    ("run -b host m.onnx", ("run", PLAIN, {"runner_options": {}})),
    (
        "run -b host --runner host --from tile --until build --dataset d.npz -o out "
        "--board-dir boards --json m.onnx",
        (
            "run",
            replace(
                PLAIN, runner="host", first="tile", last="build", dataset=Path("d.npz"),
                output=Path("out"), board_dir=Path("boards"), as_json=True,
            ),
            {"runner_options": {}},
        ),
    ),
    (
        "flash -b gap8 m.onnx",
        (
            "run",
            replace(PLAIN, board="gap8", runner="openocd"),
            {"runner_options": {"model": "m.onnx"}},
        ),
    ),
    (
        "flash -b gap8 --energy-mode m.onnx",
        (
            "run",
            replace(PLAIN, board="gap8", runner="openocd", mlperf=Mlperf(energy_mode=True)),
            {"runner_options": {"model": "m.onnx"}},
        ),
    ),
    (
        "build -b gap8 --energy-mode --baud 9600 --db-input uint8 m.onnx",
        (
            "build",
            replace(
                PLAIN, board="gap8", last="build", baud=9_600,
                mlperf=Mlperf(energy_mode=True, db_input=DbInput.UINT8),
            ),
            {},
        ),
    ),
    (
        "flash -b nucleo-f767zi --probe 1 --port p --baud 115200 --json m.onnx",
        (
            "run",
            replace(
                PLAIN, board="nucleo-f767zi", runner="pyocd", as_json=True, baud=115_200
            ),
            {"runner_options": REACH},
        ),
    ),
    ("build -b host m.onnx", ("build", replace(PLAIN, last="build"), {})),
    (
        "build -b host --runner host --from tile m.onnx",
        ("build", replace(PLAIN, runner="host", first="tile", last="build"), {}),
    ),
    (
        "build -b host --library lib m.onnx n.onnx",
        (
            "library",
            [
                replace(PLAIN, last="generate"),
                replace(PLAIN, model=Path("n.onnx"), last="generate"),
            ],
            LIBRARY,
        ),
    ),
    (
        "build -b host --library lib --arena shared --overwrite m.onnx",
        (
            "library",
            [replace(PLAIN, last="generate")],
            LibraryRequest(Path("lib"), "shared", True),
        ),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("words", "wanted"), ASKED)
def test_a_command_asks_for_what_its_words_say(words: str, wanted: Any, asked: list[Any]) -> None:
    assert called(*words.split()) == 0
    assert asked == [wanted]


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Jobs and stages that do nothing but are told."""
    said = SimpleNamespace(jobs=[], stages=[], report={"golden": 1}, error=None)

    def job(model: Path, board: str, **more: Any) -> Any:
        same = SimpleNamespace(name="twin" if more["for_board"] and said.twin else board)
        found = SimpleNamespace(
            board=SimpleNamespace(name=board), target=same, notices=more["notice"], **{
                name: more[name] for name in ("runner", "for_board", "output", "name", "board_dir")
            },
        )  # fmt: skip
        if not said.twin:
            found.target = found.board
        said.jobs.append((model, found.runner, found.for_board, found.name))
        return found

    def execute(job: Any, first: str, last: str) -> Any:
        said.stages.append((first, last))
        if said.error:
            raise said.error
        return SimpleNamespace(path=lambda stage: Path("build") / f"a {stage}")

    said.twin = False
    monkeypatch.setattr(jobs, "make_job", job)
    monkeypatch.setattr(jobs, "options_from", lambda given: Options())
    monkeypatch.setattr(jobs, "require_programs", lambda job, first, last: None)
    monkeypatch.setattr(jobs, "alone", lambda job: contextlib.nullcontext())
    monkeypatch.setattr(jobs, "edited", lambda *given: contextlib.nullcontext())
    monkeypatch.setattr(jobs, "execute", execute)
    ran = Ran({"golden": 1}, "record", b"log")  # type: ignore[typeddict-item]
    monkeypatch.setattr(
        jobs, "run_and_record", lambda job, store, dataset, runner_options, meter: ran
    )
    monkeypatch.setattr(jobs, "require_match", lambda report: said.stages.append(("match", report)))
    return said


def test_a_run_prints_its_report_and_insists_on_a_match(
    made: SimpleNamespace, capsys: pytest.CaptureFixture[str]
) -> None:
    jobs.carry_out(replace(PLAIN, as_json=True, name="own", runner="r"), {})
    assert json.loads(capsys.readouterr().out) == made.report
    assert made.stages == [("import", "run"), ("match", made.report)]
    assert made.jobs == [(Path("m.onnx"), "r", False, "own")]


def test_what_ends_before_the_run_is_named_with_how_to_show_it(
    made: SimpleNamespace, capsys: pytest.CaptureFixture[str]
) -> None:
    jobs.carry_out(replace(PLAIN, last="tile"), {})
    said = capsys.readouterr()
    assert said.out == "build/a tile\n"
    assert said.err == "show it with: deployer inspect 'build/a tile'\n"
    assert made.stages == [("import", "tile")]


@pytest.mark.parametrize(
    ("twin", "runner", "noticed"), [(False, "", False), (True, "", True), (True, "r", False)]
)
def test_a_build_is_for_the_board_and_says_where_it_is_not(
    twin: bool,
    runner: str,
    noticed: bool,
    made: SimpleNamespace,
    capsys: pytest.CaptureFixture[str],
) -> None:
    made.twin = twin
    jobs.build_only(replace(PLAIN, last="build", runner=runner), {})
    assert made.jobs == [(Path("m.onnx"), runner, True, "")]
    said = capsys.readouterr()
    assert said.out == "build/a build\n"
    told = "host has no firmware of its own yet: building twin\n"
    assert said.err.startswith(told) is noticed


def test_what_does_not_fit_is_refused_in_full(
    made: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    made.error = FitError("short")
    monkeypatch.setattr(jobs, "open_store", lambda job: "store")
    monkeypatch.setattr(
        jobs, "reason", lambda job, store, error: FitError(f"{error.what}, {store}")
    )
    with pytest.raises(FitError, match="short, store"):
        jobs.carry_out(PLAIN, {})


def test_stages_that_are_none_are_refused_before_a_job_is_made(made: SimpleNamespace) -> None:
    for carry in (jobs.carry_out, jobs.build_only):
        with pytest.raises(UsageError, match="nothing runs from stage run"):
            carry(replace(PLAIN, first="run", last="tile"), {})
    assert made.jobs == []


@pytest.mark.parametrize("count", [1, 2])
def test_a_library_has_an_entry_a_network(
    count: int,
    made: SimpleNamespace,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    exported: list[Any] = []
    checked: list[Any] = []
    monkeypatch.setattr(library_job, "alone", lambda job: contextlib.nullcontext())
    monkeypatch.setattr(
        library_job, "options_by_model", lambda originals, given, names: [{} for _ in names]
    )
    monkeypatch.setattr(library_job, "require_library", lambda board: checked.append(board.name))
    monkeypatch.setattr(
        library_job, "check_folder", lambda folder, overwrite: checked.append(overwrite)
    )
    monkeypatch.setattr(
        library_job,
        "export_library",
        lambda entries, folder, **more: exported.append((entries, folder, more)),
    )
    requests = [replace(PLAIN, model=Path(f"net {i}.onnx"), last="generate") for i in range(count)]
    library_job.build_library(requests, {}, {}, LibraryRequest(Path("lib"), "shared", True))
    ((entries, folder, more),) = exported
    assert (folder, more) == (Path("lib"), {"arena": "shared", "overwrite": True})
    names = [f"net_{i}" for i in range(count)]
    assert [entry.name for entry in entries] == names
    own = names if count > 1 else [""]
    assert made.jobs == [(Path(f"net {i}.onnx"), "", True, name) for i, name in enumerate(own)]
    assert checked == ["host", True]
    said = capsys.readouterr()
    assert said.out == "lib\n"
    notices = "".join(f"net_{i}: net {i}.onnx\n" for i in range(count)) if count > 1 else ""
    assert said.err == notices

"""``deployer gate`` and ``deployer results`` from the command line."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from deployer.cli.main import main
from deployer_hil.results import Results
from fakes.records import record_of

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """run(*words): (exit status, standard output, standard error)."""

    def call(*words: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as stop:
            main([str(word) for word in words])
        said = capsys.readouterr()
        return int(stop.value.code or 0), said.out, said.err

    return call


def keep(path: Path, *counts: int, commit: str = "c0ffee") -> None:
    with Results(path) as results:
        number = len(list(results.all()))
        made = {"compiler": "gcc 12.2", "commit": commit, "time": "2026-01-01T00:00:00+00:00"}
        results.add(record_of(counts, made=made), b"> name%\n", session="", cell=str(number))


def test_a_slower_layer_fails_with_the_commits_between(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    def git(*words: str) -> str:
        own = ["-c", "user.name=a", "-c", "user.email=a@b"]
        done = subprocess.run(["git", *own, *words], capture_output=True, text=True, check=True)
        return done.stdout.strip()

    git("init", "-q")
    heads = []
    for subject in ("first", "Convolution loads one word more"):
        git("commit", "-q", "--allow-empty", "-m", subject)
        heads.append(git("rev-parse", "HEAD"))
    keep(Path("r.sqlite"), 100, 200, commit=heads[0])
    assert run("gate", "--baseline", "b.json", "--update-baseline", "first", "r.sqlite")[0] == 0
    assert run("gate", "--baseline", "b.json", "r.sqlite")[:2] == (
        0,
        "gate: 6 figures hold, 0 layers got faster\n",
    )
    keep(Path("r.sqlite"), 100, 204, commit=heads[1])
    status, out, err = run("gate", "--baseline", "b.json", "--junit", "j.xml", "r.sqlite")
    assert (status, out) == (7, "")
    assert "net on toy (qemu_system): layer1: instructions 200 -> 204 (+2.00 %)" in err
    assert f"commit {heads[1][:7]} Convolution loads one word more" in err
    assert 'failures="2"' in Path("j.xml").read_text()


def test_a_baseline_is_written_anew_with_a_reason_that_is_kept(tmp_path: Path, run: Run) -> None:
    results, baseline = tmp_path / "r.sqlite", tmp_path / "b.json"
    keep(results, 1, 2)
    update = ("gate", "--baseline", baseline, "--update-baseline")
    assert run(*update, "  ", results)[0] == 2
    assert not baseline.exists()
    assert run(*update, "first", results)[0] == 0
    keep(results, 1, 3)
    assert run("gate", "--baseline", baseline, results)[0] == 7
    assert run(*update, "a copy is gone", results)[0] == 0
    assert run("gate", "--baseline", baseline, results)[0] == 0
    reasons = json.loads(baseline.read_text())["reasons"]
    assert [each["reason"] for each in reasons] == ["first", "a copy is gone"]


def test_files_that_are_not_there_or_empty_are_named(tmp_path: Path, run: Run) -> None:
    results, baseline = tmp_path / "r.sqlite", tmp_path / "b.json"
    status, _, err = run("gate", "--baseline", baseline, results)
    assert (status, "no such file of results" in err) == (2, True)
    Results(results).close()
    status, _, err = run("gate", "--baseline", baseline, results)
    assert (status, "holds no result yet" in err) == (2, True)
    keep(results, 1)
    status, _, err = run("gate", "--baseline", baseline, results)
    assert (status, "no such baseline" in err) == (2, True)


def test_results_are_listed_as_a_table_as_lines_and_with_their_logs(
    tmp_path: Path, run: Run
) -> None:
    results = tmp_path / "r.sqlite"
    keep(results, 1000, 2)
    keep(results, 3)
    _, table, _ = run("results", results)
    assert "1,002 instructions" in table
    lines = [json.loads(line) for line in run("results", "--json", results)[1].splitlines()]
    assert [line["number"] for line in lines] == [1, 2]
    assert run("results", "--log", 2, results)[1] == "> name%\n"
    status, _, err = run("results", "--log", 3, results)
    assert (status, "has no result 3" in err) == (2, True)

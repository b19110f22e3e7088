"""Resuming with ``--from``, and runs that share a folder, through the command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
POWER = ("--scheme", "power-of-two")


@pytest.fixture
def common(samples: Path, tmp_path: Path) -> list[object]:
    return ["-b", "host", "--calibration", samples, "-o", tmp_path / "build"]


def test_stages_of_two_jobs_are_not_joined(
    deployer: Run, small_model: Path, common: list[object], tmp_path: Path
) -> None:
    assert deployer("run", *common, small_model).status == 0
    report = tmp_path / "build" / "residual-host" / "8-run" / "report.json"
    before = report.read_text()
    assert deployer("run", *common, *POWER, "--until", "quantize", small_model).status == 0
    done = deployer("run", *common, "--from", "run", small_model)
    assert done.status == 2
    assert "stage restructure is stale" in done.err
    assert report.read_text() == before


def test_options_that_are_not_given_are_those_of_the_stages_on_disk(
    deployer: Run, small_model: Path, common: list[object], tmp_path: Path
) -> None:
    assert deployer("run", *common, *POWER, small_model).status == 0
    resumed = ["run", "-b", "host", "-o", tmp_path / "build", "--json", "--from"]
    done = deployer(*resumed, "restructure", small_model)
    assert done.status == 0, done.err
    assert json.loads(done.out)["options"]["scheme"] == "power-of-two"
    done = deployer(*resumed, "run", "--scheme", "multiply-shift", small_model)
    assert done.status == 2
    assert "--scheme was power-of-two, it is multiply-shift" in done.err


def test_a_folder_that_is_a_file_is_named(deployer: Run, small_model: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    done = deployer("run", "-b", "host", "-o", tmp_path / "file", small_model)
    assert done.status == 2
    assert f"cannot write {tmp_path / 'file'}" in done.err
    assert (tmp_path / "file").read_text() == "mine"


def start(*arguments: object) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "deployer", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def test_two_runs_in_one_folder_both_end_right(
    small_model: Path, common: list[object], tool: Callable[[str], str]
) -> None:
    tool("gcc")
    runs = [start("run", *common, *extra, "--json", small_model) for extra in ((), POWER)]
    ended = [(*run.communicate(), run.returncode) for run in runs]
    assert [status for _, _, status in ended] == [0, 0]
    reports = [json.loads(out) for out, _, _ in ended]
    assert [report["options"]["scheme"] for report in reports] == ["multiply-shift", POWER[1]]
    assert all(report["golden"]["match"] for report in reports)


def test_a_killed_run_leaves_nothing_once_the_next_has_ended(
    deployer: Run, small_model: Path, common: list[object], tmp_path: Path
) -> None:
    run = start("run", *common, small_model)
    assert run.stderr is not None
    while b"generate" not in run.stderr.readline():  # it compiles now
        assert run.poll() is None
    os.kill(run.pid, signal.SIGKILL)
    run.communicate()
    assert deployer("run", *common, small_model).status == 0
    assert list((tmp_path / "build").rglob(".*")) == []

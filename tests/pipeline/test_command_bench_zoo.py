"""``deployer bench zoo``: rows that run, that do not fit, that fail; kept and taken up again."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deployer.resources import data_root
from deployer.tools.bench import zoo

Run = Callable[..., Any]


@pytest.fixture
def bench(deployer: Run, tmp_path: Path) -> Run:
    """bench("ds-cnn", …): the command with its rows kept in tmp_path/work."""

    def call(*arguments: object) -> Any:
        return deployer("bench", "zoo", "--work", tmp_path / "work", *arguments)

    return call


def never(job: Any) -> dict[str, Any]:
    raise AssertionError("a row that was kept ran again")


def test_both_styles_on_the_emulated_board(
    bench: Run, tmp_path: Path, tool: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for program in ("arm-none-eabi-gcc", "qemu-system-arm"):
        tool(program)
    common = ("ds-cnn", "-b", "nucleo-f767zi", "--golden", 1)
    done = bench(*common, "--json")
    assert done.status == 0, done.err
    facts = json.loads(done.out)
    assert facts["counts"] == {"exact": 2}
    first, second = facts["rows"]
    assert (first["style"], second["style"]) == ("torchscript", "dynamo")
    assert first["layers"] == first["exact_layers"] == 11
    assert first["kind"] == "counted"
    assert 1 < first["per_mac"] < 20
    assert second["same_as"] == "torchscript"
    assert second["program"] == first["program"]
    assert any("QEMU" in name for name in facts["tools"])
    assert "11 of 11 layers exact" in done.err

    monkeypatch.setattr(zoo, "prove_on", never)
    again = bench(*common, "--resume", "-o", tmp_path / "zoo.md")
    assert (again.status, again.out) == (0, "")
    assert "| exact, 11 of 11 layers | same program |" in (tmp_path / "zoo.md").read_text()


def test_what_does_not_fit_is_told_and_is_no_failure(bench: Run) -> None:
    done = bench("resnet9", "-b", "nucleo-f767zi", "--style", "dynamo", "--json")
    assert done.status == 0, done.err
    (row,) = json.loads(done.out)["rows"]
    assert row["outcome"] == "does not fit"
    assert row["over"]["flash"] > 4_000_000
    assert "largest weights" in row["detail"]
    assert "does not fit flash by" in done.err


@pytest.mark.parametrize(
    ("facts", "status"),
    [({"outcome": "differs", "layers": 11, "exact_layers": 4, "detail": "conv3"}, 5), (None, 7)],
)
def test_a_row_that_is_not_exact_fails_the_command(
    bench: Run, monkeypatch: pytest.MonkeyPatch, facts: Any, status: int
) -> None:
    monkeypatch.setattr(zoo, "prove_on", lambda job: facts or time.sleep(30))
    done = bench("ds-cnn", "-b", "host", "--style", "plain", "--limit", 1)
    assert done.status == status
    assert "1 of 1 rows are not exact" in done.err
    assert "ds-cnn multiply-shift plain host" in done.err
    assert "**" in done.out  # the table is printed all the same


def test_threads_are_those_of_every_board(bench: Run) -> None:
    done = bench(
        "ds-cnn", "-b", "host", "--style", "plain", "--golden", 1, "--threads", 4, "--json"
    )
    (row,) = json.loads(done.out)["rows"]
    assert (done.status, row["outcome"], row["threads"]) == (0, "exact", 4), done.err
    assert row["portable"] == row["layers"]  # the host has no others
    refused = bench("ds-cnn", "-b", "host", "-b", "nucleo-f767zi", "--threads", 4)
    assert (refused.status, refused.out) == (2, "")
    assert "--threads 4: not on nucleo-f767zi" in refused.err


def test_what_failed_runs_again_on_resume(bench: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    common = ("ds-cnn", "-b", "host", "--style", "plain")
    found = {"outcome": "differs", "layers": 11, "exact_layers": 4}
    monkeypatch.setattr(zoo, "prove_on", lambda job: found)
    assert bench(*common).status == 5
    found.update(outcome="exact", exact_layers=11)
    assert bench(*common, "--resume").status == 0
    monkeypatch.setattr(zoo, "prove_on", never)
    assert bench(*common, "--resume").status == 0
    more = bench(*common, "--resume", "--golden", 3)  # not what was kept
    assert more.status == 6
    assert "bug: AssertionError" in more.err


def test_a_size_and_a_goal_of_ones_own(
    bench: Run, tool: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tool("gcc")
    common = ("mobilenetv1", "-b", "host", "--style", "plain", "--golden", 1, "--resolution", 32)
    done = bench(*common, "--width", 0.25, "--optimize", "ram")
    assert done.status == 0, done.err
    assert "mobilenetv1 x0.25 | 3x32x32" in done.out
    assert "| plain arena | regions | MACs added |" in done.out
    monkeypatch.setattr(zoo, "prove_on", never)
    assert bench(*common, "--width", 0.25, "--optimize", "ram", "--resume").status == 0
    for other in (("--width", 0.3, "--optimize", "ram"), ("--width", 0.25)):
        assert bench(*common, *other, "--resume").status == 6  # not what was kept


def test_a_row_has_the_regions_of_its_own_board(
    bench: Run, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """Restructured for a nucleo of little RAM; the host takes it plain."""
    for program in ("arm-none-eabi-gcc", "qemu-system-arm", "gcc"):
        tool(program)
    for name in ("nucleo-f767zi", "qemu-mps2-an500"):
        text = (data_root() / "boards" / f"{name}.toml").read_text()
        narrow = text.replace('"128KiB"', '"16KiB"').replace('"384KiB"', '"16KiB"')
        (tmp_path / f"{name}.toml").write_text(narrow)
    boards = ("-b", "nucleo-f767zi", "-b", "host", "--board-dir", tmp_path)
    size = ("--resolution", 32, "--golden", 1, "--style", "plain")
    done = bench("upydnet", *boards, *size, "--json")
    assert done.status == 0, done.err
    small, large = json.loads(done.out)["rows"]
    assert (small["outcome"], large["outcome"]) == ("exact", "exact")
    assert small["regions"] > 0 == large["regions"]
    assert small["arena"] < large["arena"] < small["plain_arena"]  # which shares no bytes


def test_a_missing_tool_fails_the_row_and_not_the_table(
    bench: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    names = ("ds-cnn", "resnet9")
    done = bench(*names, "-b", "nucleo-f767zi", "--style", "plain", "--json")
    assert done.status == 6
    outcomes = [row["outcome"] for row in json.loads(done.out)["rows"]]
    assert outcomes == ["failed", "does not fit"]
    assert "arm-none-eabi-gcc" in done.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["resnet7"], "did you mean resnet"),
        (["ds-cnn", "-b", "nucleo"], "nucleo-f767zi"),
        (["ds-cnn", "-o", "table.csv"], "FILE.md or FILE.json"),
        (["ds-cnn", "-o", "missing/table.md"], "no folder"),
    ],
)
def test_what_cannot_work_is_said_before_anything_runs(
    bench: Run, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    monkeypatch.setattr(zoo, "prove_on", never)
    done = bench(*arguments)
    assert done.status == 2
    assert said in done.err

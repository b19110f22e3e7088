"""``deployer allocate``: instances in, offsets out, nothing half-written."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from deployer.allocate.solvers import SOLVERS
from deployer.cli.main import main

TABLE = "id,lower,upper,size\na,0,2,8\nb,1,3,4\nc,2,4,8\n"


def run(*arguments: str | Path) -> int:
    with pytest.raises(SystemExit) as stop:
        main(["allocate", *map(str, arguments)])
    return int(stop.value.code or 0)


def offsets(path: Path) -> dict[str, int]:
    with path.open() as file:
        return {row["id"]: int(row["offset"]) for row in csv.DictReader(file)}


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "net.csv"
    path.write_text(TABLE)
    return path


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_table_gets_its_offsets(solver: str, table: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    assert run(table, "-o", out, "--solver", solver) == 0
    assert out.read_text().startswith("id,offset\na,")
    found = offsets(out)
    assert list(found) == ["a", "b", "c"]
    assert not (found["a"] < found["b"] + 4 and found["b"] < found["a"] + 8)
    assert not (found["c"] < found["b"] + 4 and found["b"] < found["c"] + 8)


def test_what_is_known_of_an_answer_is_printed(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(table, "-o", tmp_path / "out.csv")
    assert capsys.readouterr().out.startswith("net: 12 B, optimal, by gs-first")
    run(table, "-o", tmp_path / "out.csv", "--json")
    facts = json.loads(capsys.readouterr().out)
    (row,) = facts["instances"]
    assert (row["bytes"], row["bound"], row["status"]) == (12, 12, "optimal")


def test_a_folder_becomes_a_folder_with_times(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, out = tmp_path / "in", tmp_path / "out"
    (folder / "deep").mkdir(parents=True)
    (folder / "one.csv").write_text(TABLE)
    (folder / "deep" / "two.csv").write_text(TABLE)
    (folder / "manifest.csv").write_text("name,best\none,12\n")
    assert run(folder, "-o", out) == 0
    assert sorted(p.relative_to(out).as_posix() for p in out.rglob("*.csv")) == [
        "_times.csv",
        "deep/two.csv",
        "one.csv",
    ]
    rows = list(csv.DictReader((out / "_times.csv").open()))
    assert [row["name"] for row in rows] == ["deep/two", "one"]
    assert all(float(row["seconds"]) >= 0 for row in rows)  # some clocks are coarse
    said = capsys.readouterr()
    assert "2 instances, 2 optimal with proof" in said.out
    assert "skipped manifest.csv" in said.err


def test_a_second_run_replaces_the_answers_and_leaves_other_files(
    table: Path, tmp_path: Path
) -> None:
    folder, out = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    table.rename(folder / "net.csv")
    out.mkdir()
    (out / "net.csv").write_text("old")
    (out / "notes.txt").write_text("mine")
    assert run(folder, "-o", out) == 0
    assert offsets(out / "net.csv")
    assert (out / "notes.txt").read_text() == "mine"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in", "out"]


def test_offsets_are_multiples_of_the_alignment(table: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    assert run(table, "-o", out, "--alignment", "16") == 0
    assert {offset % 16 for offset in offsets(out).values()} == {0}


def test_too_little_room_is_named_by_the_smallest_conflict_and_writes_nothing(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.csv"
    assert run(table, "-o", out, "--capacity", "11") == 4
    assert "alive together, and already too many: a 8  b 4" in capsys.readouterr().err
    assert run(table, "-o", out, "--capacity", "12") == 0
    out.unlink()
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "fits.csv").write_text("id,lower,upper,size\na,0,1,1\n")
    table.rename(folder / "net.csv")
    assert run(folder, "-o", tmp_path / "answers", "--capacity", "11") == 4
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in"]


def test_gaps_too_large_for_the_room_are_proven(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """At most 6 bytes are alive together, and no placement is lower than 7."""
    rows = "a,0,3,2 b,1,3,2 c,2,7,2 d,4,9,2 e,5,11,1 f,6,8,1 g,7,10,1 h,8,14,2 i,12,14,2 j,13,15,2"
    path = tmp_path / "gap.csv"
    path.write_text("id,lower,upper,size\n" + rows.replace(" ", "\n"))
    assert run(path, "-o", tmp_path / "out.csv", "--capacity", "6") == 4
    assert "proven: no placement needs less than 7 B" in capsys.readouterr().err
    assert run(path, "-o", tmp_path / "out.csv", "--capacity", "6", "--solver", "bag") == 4
    assert "a lower one is not ruled out" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,lower,upper\na,0,1\n", "columns id,lower,upper"),
        ("id,lower,upper,size\na,1,1,4\n", "lower 1 is not below upper 1"),
        ("id,lower,upper,size\na,0,1,x\n", "line 2: size is 'x'"),
        (b"\xff\xfe\x00", "cannot read"),
    ],
)
def test_a_broken_table_is_refused(
    text: str | bytes, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, out = tmp_path / "net.csv", tmp_path / "out.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    assert run(path, "-o", out) == 2
    assert message in capsys.readouterr().err
    assert not out.exists()


def test_paths_that_cannot_be_are_refused(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path / "none.csv", "-o", tmp_path / "out.csv") == 2
    assert run(table, "-o", tmp_path) == 2
    assert run(tmp_path, "-o", tmp_path / "in" / "it") == 2
    assert run(table, "-o", tmp_path / "out.csv", "--solver", "magic") == 2
    said = capsys.readouterr().err
    assert all(text in said for text in ("cannot read", "it is a folder", "lies in", "'magic'"))
    (tmp_path / "empty").mkdir()
    assert run(tmp_path / "empty", "-o", tmp_path / "out") == 2
    assert "no instance in" in capsys.readouterr().err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["empty", "net.csv"]


def test_a_capacity_is_enough_and_less_is_told_apart(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.csv"
    for effort in ("fast", "normal", "best"):
        assert run(table, "-o", out, "--capacity", "20", "--effort", effort) == 0
        assert max(offsets(out).values()) <= 16
    out.unlink()
    assert run(table, "-o", out, "--capacity", "11") == 4
    assert "net does not fit 11 B" in capsys.readouterr().err
    assert run(table, "-o", out, "--effort", "much") == 2
    assert not out.exists()

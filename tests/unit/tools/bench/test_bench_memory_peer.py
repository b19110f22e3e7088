"""``bench memory --against minimalloc=PROGRAM``: both allocators on the same instances."""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from deployer.cli.commands.bench_memory import command
from deployer.errors import BenchError, UsageError
from deployer.tools.bench.allocation_peer import capacity_of, measure_beside, peer_of
from deployer.tools.bench.allocation_peer_table import beside_markdown
from deployer.tools.bench.allocation_sets import Entry, entries_of

TABLE = "id,lower,upper,size\na,0,2,8\nb,1,3,4\nc,2,4,8\n"
PACKED = "id,lower,upper,size,offset\na,0,2,8,0\nb,1,3,4,8\nc,2,4,8,0\n"
CLASH = PACKED.replace("b,1,3,4,8", "b,1,3,4,7")
VARIABLE, CHALLENGES = "DEPLOYER_MINIMALLOC", "DEPLOYER_MINIMALLOC_INSTANCES"

STAND_IN = """#!{python}
import sys
given = dict(word.lstrip("-").split("=", 1) for word in sys.argv[1:])
assert open(given["input"]).readline().strip() == "id,lower,upper,size"
sum(range({work}))
if int(given["capacity"]) >= {least}:
    open(given["output"], "w").write({answer!r})
else:
    sys.exit(1)
"""


@pytest.fixture
def stand_in(tmp_path: Path) -> Callable[..., Path]:
    """A program with minimalloc's options that answers what it is told to."""

    def make(answer: str = PACKED, least: int = 12, work: int = 0) -> Path:
        path = tmp_path / "minimalloc"
        text = STAND_IN.format(python=sys.executable, answer=answer, least=least, work=work)
        path.write_text(text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    return make


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "hard"
    path.mkdir()
    (path / "A.12.csv").write_text(TABLE)
    (path / "B.20.csv").write_text(TABLE)
    return path


def test_both_solve_within_the_capacity_that_a_name_ends_in(
    folder: Path, stand_in: Callable[..., Path]
) -> None:
    rows = measure_beside(entries_of(folder), stand_in(work=2_000_000))
    assert [(row.name, row.capacity, row.buffers) for row in rows] == [
        ("A.12", 12, 3),
        ("B.20", 20, 3),
    ]
    assert all((row.bytes, row.peer_bytes, row.bound) == (12, 12, 12) for row in rows)
    assert all(0 < row.seconds < row.peer_seconds for row in rows)
    assert all(row.ratio == row.seconds / row.peer_seconds for row in rows)


def test_one_that_finds_nothing_is_told_apart(stand_in: Callable[..., Path]) -> None:
    (row,) = measure_beside([Entry("s", "x.12", TABLE)], stand_in(least=13))
    assert (row.bytes, row.peer_bytes) == (12, None)
    (row,) = measure_beside([Entry("s", "x", TABLE)], stand_in(least=0), capacity=11)
    assert (row.bytes, row.peer_bytes) == (None, 12)
    text = beside_markdown([row])
    assert "| x | 3 | 11 | 12 | none found | 12 |" in text
    assert "1 instances within their capacity: 0 here, 1 by minimalloc." in text
    assert "for each second" not in text


def test_a_program_that_takes_too_long_is_ended(stand_in: Callable[..., Path]) -> None:
    slow = stand_in(work=10**10)
    (row,) = measure_beside([Entry("s", "x.12", TABLE)], slow, limit=0.5)
    assert row.peer_bytes is None
    assert row.peer_seconds > 0


@pytest.mark.parametrize(
    ("answer", "why"),
    [(CLASH, "a and b share bytes"), ("id,offset\na,0\n", "columns"), ("", "columns")],
)
def test_an_answer_that_is_none_is_an_error(
    answer: str, why: str, stand_in: Callable[..., Path]
) -> None:
    with pytest.raises(BenchError, match="minimalloc's answer to x") as caught:
        measure_beside([Entry("s", "x.12", TABLE)], stand_in(answer))
    assert why in str(caught.value)


def test_a_file_that_is_no_program_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "minimalloc"
    path.write_text("none")
    with pytest.raises(UsageError, match="cannot be run"):
        peer_of(f"minimalloc={path}")
    path.chmod(0o755)
    with pytest.raises(BenchError, match="cannot be run"):
        measure_beside([Entry("s", "x.12", TABLE)], peer_of(f"minimalloc={path}"))


def test_what_names_no_peer_is_refused(tmp_path: Path) -> None:
    for text in ("minimalloc", "minimalloc=", f"other={tmp_path}"):
        with pytest.raises(UsageError, match="--against"):
            peer_of(text)
    with pytest.raises(UsageError, match="no such program"):
        peer_of(f"minimalloc={tmp_path / 'none'}")


def test_a_name_ends_in_its_capacity_or_it_must_be_given() -> None:
    assert capacity_of("A.1048576") == 1_048_576
    for name in ("A", "12", "A.b", "A."):
        with pytest.raises(UsageError, match="no capacity is known"):
            capacity_of(name)


def test_the_command_prints_one_table_or_json(
    folder: Path, stand_in: Callable[..., Path], tmp_path: Path
) -> None:
    given = ["--against", f"minimalloc={stand_in()}", "--instances", str(folder)]
    out = tmp_path / "table.md"
    shown = CliRunner().invoke(command, [*given, "-o", str(out)])
    assert shown.exit_code == 0, shown.output
    assert shown.output == out.read_text()
    lines = shown.output.splitlines()
    assert lines[2].startswith("| A.12 | 3 | 12 | 12 | 12 | 12 |")
    assert "2 instances within their capacity: 2 here, 2 by minimalloc." in lines
    facts = json.loads(CliRunner().invoke(command, [*given, "--json"]).output)
    assert [row["capacity"] for row in facts["instances"]] == [12, 20]
    shown = CliRunner().invoke(command, [*given, "--capacity", "30", "--json"])
    assert [row["capacity"] for row in json.loads(shown.output)["instances"]] == [30, 30]


def test_half_of_what_it_needs_is_refused(folder: Path) -> None:
    for given in (["--capacity", "12"], ["--against", "minimalloc=x"]):
        done = CliRunner().invoke(command, given)
        assert isinstance(done.exception, UsageError)
        assert "is missing" in str(done.exception)


def test_the_challenging_instances_beside_minimalloc(need: Callable[[str, bool], None]) -> None:
    """The bar: all that the user's build solves, each in no more CPU than it takes."""
    program = Path(os.environ.get(VARIABLE, "minimalloc"))
    challenges = Path(os.environ.get(CHALLENGES, "challenging"))
    need("minimalloc", program.is_file() and challenges.is_dir())
    rows = measure_beside(entries_of(challenges), peer_of(f"minimalloc={program}"))
    assert [row.name for row in rows if row.bytes is None] == []
    assert [row.name for row in rows if row.ratio > 1.0] == []

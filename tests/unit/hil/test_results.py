"""A file of results: what is in it survives, and is in it once."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deployer.errors import BenchError, UsageError
from deployer_hil.results import Results, json_line
from deployer_hil.serial_log import SerialLog
from deployer_hil.stream import Transcript
from fakes.records import record_of

WRITER = """
import sys
from pathlib import Path
from deployer_hil.results import Results
from fakes.records import record_of
with Results(Path(sys.argv[1])) as results:
    for number in range(1000):
        results.add(record_of((number, 7)), b"x" * 3000, session=sys.argv[2], cell=str(number))
        print(number, flush=True)
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "results.sqlite"


def cells_of(results: Results, session: str) -> set[str]:
    return {row.cell for row in results.of_session(session)}


def test_what_was_added_is_read_back_whole_and_in_order(file: Path) -> None:
    first, second = record_of((3, 4)), record_of((5,), board="other")
    with Results(file) as results:
        assert results.add(first, b"> name%\n", session="s", cell="a", bench="desk")
        assert results.add(second, b"", session="s", cell="b")
    with Results(file) as results:
        rows = list(results.all())
        assert [(row.number, row.session, row.cell, row.bench) for row in rows] == [
            (1, "s", "a", "desk"),
            (2, "s", "b", ""),
        ]
        assert [row.record for row in rows] == [first, second]
        assert [results.log(n) for n in (1, 2)] == [b"> name%\n", b""]
        assert cells_of(results, "s") == {"a", "b"}
        assert cells_of(results, "t") == set()


def test_a_cell_has_one_result_in_a_session(file: Path) -> None:
    with Results(file) as results:
        assert results.add(record_of((1,)), b"one", session="s", cell="a")
        assert not results.add(record_of((2,)), b"two", session="s", cell="a")
        assert results.add(record_of((2,)), b"two", session="t", cell="a")
        assert [row.record.total for row in results.all()] == [1, 2]
        assert results.log(1) == b"one"


def test_several_processes_may_write(file: Path) -> None:
    def add(number: int) -> bool:
        with Results(file) as results:
            return results.add(record_of((number,)), b"", session="s", cell=str(number % 20))

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(add, range(40))) == 20
    with Results(file) as results:
        assert len(list(results.all())) == len(cells_of(results, "s")) == 20


@pytest.mark.parametrize("seed", range(5))
def test_a_writer_that_is_killed_leaves_whole_results_alone(file: Path, seed: int) -> None:
    """What it had told to be there is there, once, and the next writer goes on."""
    here = str(Path(__file__).parents[2])
    environment = {**os.environ, "PYTHONPATH": here}
    command = [sys.executable, "-c", WRITER, str(file), "s"]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment)
    assert child.stdout is not None
    assert child.stdout.readline() == b"0\n"
    time.sleep(0.007 * seed)
    child.send_signal(signal.SIGKILL)
    told = [0, *map(int, child.stdout.read().split(b"\n")[:-1])]
    child.wait()
    child.stdout.close()
    with Results(file) as results:
        found = [int(row.cell) for row in results.all()]
        assert found == list(range(len(found)))
        assert len(told) <= len(found) <= len(told) + 1
        assert all(results.log(n + 1) == b"x" * 3000 for n in found)
        assert results.add(record_of(), b"", session="s", cell=str(len(found)))


def test_other_files_are_refused_and_left_alone(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("no database at all, but a text of some length\n" * 50)
    before = text.read_bytes()
    with pytest.raises(UsageError, match="is no file of results"):
        Results(text)
    assert text.read_bytes() == before
    with pytest.raises(UsageError, match="cannot open"):
        Results(tmp_path / "no-folder" / "results.sqlite")


def test_a_file_of_a_later_schema_is_refused(file: Path) -> None:
    with sqlite3.connect(file) as base:
        base.execute("PRAGMA user_version = 9")
    with pytest.raises(UsageError, match="has results of schema 9, not 1"):
        Results(file)


def test_a_full_disk_is_named_and_loses_nothing(file: Path) -> None:
    with Results(file) as results:
        results.add(record_of(), b"", session="s", cell="a")
        pages = results._base.connection.execute("PRAGMA page_count").fetchone()[0]
        results._base.connection.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(BenchError, match="no room for") as caught:
            results.add(record_of(), os.urandom(100_000), session="s", cell="b")
        assert caught.value.exit_status == 6
        assert cells_of(results, "s") == {"a"}


def test_a_log_that_is_not_there_is_named(file: Path) -> None:
    with Results(file) as results, pytest.raises(UsageError, match="has no result 3"):
        results.log(3)


def test_a_result_is_a_line_of_json(file: Path) -> None:
    with Results(file) as results:
        results.add(record_of((3, 4)), b"", session="s", cell="a", bench="desk")
        (row,) = results.all()
    line = json.loads(json_line(row))
    assert (line["number"], line["cell"], line["bench"], line["board"]) == (1, "a", "desk", "toy")
    assert [layer["count"] for layer in line["layers"]] == [3, 4]


@given(st.lists(st.tuples(st.sampled_from("<>"), st.binary(min_size=1, max_size=40))))
def test_a_log_holds_every_byte_of_both_sides(pieces: list[tuple[str, bytes]]) -> None:
    log, transcript = SerialLog(), Transcript(limit=8)
    transcript.log = log
    for mark, data in pieces:
        (transcript.sent if mark == ">" else transcript.received)(data)
    lines = [line.split(b" ", 2) for line in log.text().splitlines()]
    said = [(mark.decode(), text.decode("unicode_escape")) for _, mark, text in lines]
    assert said == [(mark, data.decode("latin1")) for mark, data in pieces]
    times = [float(when) for when, *_ in lines]
    assert times == sorted(times)
    log.close()

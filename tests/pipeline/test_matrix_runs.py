"""``deployer lab run`` on emulated benches: whole, killed, with benches in trouble."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from deployer_hil.results import Results

MATRIX = """
[[matrix]]
models = ["net.onnx"]
boards = ["host"]
[matrix.options]
scheme = ["multiply-shift", "power-of-two"]
seed = [0, 1]
golden = 1
"""
ROOT = Path(__file__).resolve().parents[2]
KILLS = 4  # hundreds: python -m tests.fuzz.lab_kills
Deployer = Callable[..., list[str]]


@pytest.fixture
def matrix(tmp_path: Path, tool: Callable[[str], str], monkeypatch: pytest.MonkeyPatch) -> Path:
    """Four cells on the host."""
    tool("gcc")
    monkeypatch.setenv("DEPLOYER_LOCKS", str(tmp_path / "locks"))
    zoo = [sys.executable, "-m", "deployer", "zoo", "ds-cnn", "-o", str(tmp_path / "net.onnx")]
    subprocess.run(zoo, check=True, stdout=subprocess.DEVNULL)
    (tmp_path / "matrix.toml").write_text(MATRIX)
    return tmp_path / "matrix.toml"


def words(matrix: Path, *more: str) -> list[str]:
    return [sys.executable, "-m", "deployer", "lab", "run", *more, str(matrix)]


def run(matrix: Path, *more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words(matrix, *more), capture_output=True, text=True, check=False)


def kept(matrix: Path) -> list[tuple[str, str]]:
    """Session and cell of every result, all of them exact and with a log."""
    with Results(matrix.parent / "results.sqlite") as results:
        rows = list(results.all())
        assert all(row.record.golden.match for row in rows)
        assert all(b"x-layers" in results.log(row.number) for row in rows)
        return [(row.session, row.cell) for row in rows]


def test_every_cell_runs_once_and_a_second_run_begins_a_new_session(matrix: Path) -> None:
    done = run(matrix, "--jobs", "2")
    assert (done.returncode, done.stdout) == (0, "4 cells: 4 exact, 0 not\n"), done.stderr
    assert "[4/4] net.onnx on host" in done.stderr
    assert len(set(kept(matrix))) == 4
    assert run(matrix).returncode == 0
    assert len({session for session, _ in kept(matrix)}) == 2
    assert len(set(kept(matrix))) == len(kept(matrix)) == 8


def test_a_run_that_is_killed_at_any_moment_goes_on_where_it_was(matrix: Path) -> None:
    """No result lost, none twice, none wrong; nothing of a killed run is left when one ends."""
    moments, before = random.Random(1), 0
    for _ in range(KILLS):
        child = subprocess.Popen(
            words(matrix), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(moments.uniform(0.1, 4))
        child.send_signal(signal.SIGKILL)
        child.wait()
        if (matrix.parent / "results.sqlite").is_file():
            found = kept(matrix)
            assert len(found) == len(set(found)) >= before
            before = len(found)
    done = run(matrix)
    assert done.returncode == 0, done.stderr
    found = kept(matrix)
    assert len(found) == len(set(found)) >= 4
    assert not [path for path in matrix.parent.rglob(".*.new") if path.is_dir()]
    assert not _running(matrix.parent)


def _running(folder: Path) -> list[str]:
    """Commands of processes that have to do with ``folder``, two seconds later."""
    time.sleep(2)
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
            found += [command] if str(folder) in command else []
    return found


def test_a_cell_that_is_refused_is_told_and_the_others_run(matrix: Path) -> None:
    matrix.write_text(MATRIX.replace("golden = 1", "golden = 1\nram = ['1KiB', '1MiB']"))
    done = run(matrix)
    assert done.returncode == 4, done.stderr
    assert done.stdout == "8 cells: 4 exact, 4 not\n"
    assert len(kept(matrix)) == 4


def test_two_runs_of_one_matrix_do_not_mix(matrix: Path) -> None:
    first = subprocess.Popen(words(matrix), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert first.stderr is not None
    first.stderr.readline()  # the first cell has ended, so the lock is held
    second = run(matrix)
    assert (second.returncode, "is held by process" in second.stderr) == (6, True)
    assert first.wait() == 0
    first.stderr.close()
    assert len(kept(matrix)) == 4


def test_a_bench_that_cannot_work_is_named_and_its_twin_does_the_work(matrix: Path) -> None:
    lab = matrix.parent / "lab.toml"
    lab.write_text(
        '[bench.dead]\nboard = "rpi3"\nrunner = "ssh"\nhost = "nobody@127.0.0.1"\n'
        '[bench.desk]\nboard = "rpi3"\nrunner = "qemu_user"\n'
    )
    matrix.write_text(MATRIX.replace('"host"', '"rpi3"'))
    done = run(matrix, "--lab", str(lab))
    assert done.returncode == 0, done.stderr
    assert "bench dead took no more cells" in done.stderr
    assert {row.bench for row in _rows(matrix)} == {"desk"}


def _rows(matrix: Path) -> list[object]:
    with Results(matrix.parent / "results.sqlite") as results:
        return list(results.all())


def drilled(*words: str) -> str:
    command = [sys.executable, "-m", "tests.fuzz.lab_kills", "--seed", "23", *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize(("trouble", "count"), [("kill", 6), ("full", 4)])
def test_no_result_of_fake_benches_is_lost_none_twice_and_none_wrong(
    trouble: str, count: int
) -> None:
    """A share of what ``python -m tests.fuzz.lab_kills`` makes by the hundred."""
    assert f"{count} runs, faults: 0" in drilled("--trouble", trouble, "--count", str(count))


def test_nor_of_emulated_boards(tool: Callable[[str], str]) -> None:
    for program in ("gcc", "arm-none-eabi-gcc", "qemu-system-arm"):
        tool(program)
    assert "1 runs, faults: 0" in drilled("--benches", "qemu", "--count", "1")

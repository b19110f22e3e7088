"""The process of a bench, from outside and from inside."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import onnx
import pytest

from deployer.cli import lab_worker
from deployer.cli.jobs import cell_worker, deploy
from deployer.cli.jobs.cell_worker import CellWorker, told
from deployer.errors import BenchError, DeployerError, MachineError
from deployer_hil import Results, lab, matrix
from deployer_hil.runners.program import ProgramRunner
from models import residual_net

CELL = matrix.Cell("c0ffee", "net.onnx", "host", "", ())
MOST_SECONDS = 0.05  # of a cell, beside building, uploading and running
FULL = MachineError("no room for results.sqlite", why=["full"], hints=["make room on that disk"])


def found(folder: Path, *cells: matrix.Cell) -> matrix.MatrixFile:
    return matrix.MatrixFile(folder, cells or (CELL,), folder / "r.sqlite", folder / "build")


@pytest.fixture
def answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., CellWorker]:
    """answers(said): a worker whose process says so to every request."""

    def worker(said: dict[str, Any]) -> CellWorker:
        program = f"import sys\nfor line in sys.stdin: print({json.dumps(said)!r}, flush=True)"
        monkeypatch.setattr(cell_worker, "PROGRAM", (sys.executable, "-c", program))
        return CellWorker(found(tmp_path), "session", lab.Bench("desk", "host", "host"))

    return worker


def test_trouble_of_a_bench_is_the_bench_s(answers: Callable[..., CellWorker]) -> None:
    worker = answers(told(BenchError("no probe", why=["seen: none"])))
    assert worker.run(CELL, {}) == (6, "no probe; seen: none")
    worker.close()


def test_a_bench_in_trouble_gets_a_new_process(answers: Callable[..., CellWorker]) -> None:
    """A meter that hangs is held until the process ends."""
    worker = answers(told(BenchError("no probe")))
    worker.run(CELL, {})
    assert worker._child is None
    worker.run(CELL, {})
    worker = answers({"status": 5, "text": "differs"})
    worker.run(CELL, {})
    assert worker._child is not None
    worker.close()


def test_a_full_disk_is_no_bench_s_and_ends_all(answers: Callable[..., CellWorker]) -> None:
    worker = answers(told(FULL))
    with pytest.raises(MachineError) as caught:
        worker.run(CELL, {})
    assert (caught.value.what, caught.value.why, caught.value.hints) == (
        *(FULL.what, FULL.why, FULL.hints),
    )
    worker.close()


def test_modules_in_the_folder_of_a_matrix_are_not_imported(tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('mine')")
    (tmp_path / "net.onnx").write_text("no model")
    worker = CellWorker(found(tmp_path), "session", lab.Bench("desk", "host", "host"))
    status, text = worker.run(CELL, {})
    assert (status, "net.onnx" in text) == (3, True)
    worker.close()


@pytest.mark.parametrize(
    ("error", "status", "machine"),
    [
        (FULL, 6, True),
        (BenchError("no probe"), 6, False),
        (OSError(28, "No space left on device"), 6, True),
        (MemoryError(), 6, True),
        (ValueError("x"), 1, None),
    ],
)
def test_what_a_cell_ends_with_is_told(
    monkeypatch: pytest.MonkeyPatch, error: Exception, status: int, machine: bool | None
) -> None:
    def fails(*given: object) -> None:
        raise error

    monkeypatch.setattr(lab_worker, "_carry_out", fails)
    said = lab_worker.answer({}, Results)
    assert (said["status"], said.get("machine")) == (status, machine)


class Inside:
    """A worker in this process."""

    def __init__(self, place: matrix.MatrixFile, bench: lab.Bench):
        self._outside = CellWorker(place, "session", bench)
        self._opened = cache(Results)

    def run(self, cell: matrix.Cell, options: dict[str, Any]) -> tuple[int, str]:
        said = lab_worker.answer(json.loads(self._outside._request(cell, options)), self._opened)
        return said["status"], said["text"]

    def close(self) -> None: ...


class Clock:
    """Seconds of the processor inside of what is ``counted``, and when each cell ended."""

    def __init__(self) -> None:
        self.counted = 0.0
        self.ends: list[tuple[float, float]] = []

    def of(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*given: Any, **named: Any) -> Any:
            began = time.process_time()
            try:
                return function(*given, **named)
            finally:
                self.counted += time.process_time() - began

        return timed

    def told(self, ended: object) -> None:
        self.ends.append((time.process_time(), self.counted))

    def added(self) -> list[float]:
        """Of each cell but the first, which imports: seconds that were not counted."""
        pairs = zip(self.ends, self.ends[1:], strict=False)
        return [now - then - (done - before) for (then, before), (now, done) in pairs]


def test_the_rig_adds_less_than_50_ms_to_a_cell(
    tmp_path: Path, tool: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beyond building it and the time from starting the device to its end: locks, the queue, the
    record, reports. Of the processor, since others use this machine: two transactions on disk and
    git are waited for besides. The least of five cells."""
    tool("gcc")
    onnx.save(residual_net(), tmp_path / "net.onnx")
    (tmp_path / "matrix.toml").write_text(
        '[[matrix]]\nmodels = ["net.onnx"]\nboards = ["host"]\n'
        "[matrix.options]\ngolden = [1, 2, 3, 4, 5, 6]\n"
    )
    monkeypatch.chdir(tmp_path)
    place, clock = matrix.read_matrix(tmp_path / "matrix.toml", version="1"), Clock()
    monkeypatch.setattr(deploy, "executed", clock.of(deploy.executed))
    _count_devices(clock, monkeypatch)
    sessions = matrix.Sessions(place.results)
    session = sessions.begin(place.digest)

    def ended(cell: matrix.Ended) -> None:
        assert cell.status == 0, cell.text
        sessions.keep(session, cell)
        clock.told(cell)

    desk = lab.Bench("desk", "host", "host")
    matrix.Conductor(
        place.cells, [desk], worker=lambda bench: Inside(place, bench), told=ended
    ).run()
    sessions.close()
    added = clock.added()
    assert len(added) == 5
    assert 0 < min(added) < MOST_SECONDS, added


def _count_devices(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """From ``open`` to ``close``: what uploads, runs and compares."""
    opened: list[float] = []
    opening, closing = ProgramRunner.open, ProgramRunner.close

    def begin(runner: ProgramRunner) -> Any:
        opened.append(time.process_time())
        return opening(runner)

    def end(runner: ProgramRunner) -> None:
        closing(runner)
        clock.counted += time.process_time() - opened.pop()

    monkeypatch.setattr(ProgramRunner, "open", begin)
    monkeypatch.setattr(ProgramRunner, "close", end)


def test_an_error_is_whole_on_the_way_back() -> None:
    error = DeployerError("what", why=["a", "b"], hints=["c"])
    assert told(error) == {
        "status": 1,
        "text": "what",
        "why": ["a", "b"],
        "machine": False,
        "hints": ["c"],
    }

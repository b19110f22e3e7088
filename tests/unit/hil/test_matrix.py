"""A matrix: its cells, which bench runs them, and what becomes of trouble."""

from __future__ import annotations

import heapq
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deployer.errors import BenchError, UsageError
from deployer_hil import serial_ports
from deployer_hil.lab import Bench
from deployer_hil.matrix import RIG, Cell, Conductor, Ended, Queue, Sessions, conduct, read_matrix


def cells(count: int, board: str = "toy") -> list[Cell]:
    return [Cell(f"{board}{n}", f"net{n}", board, "", ()) for n in range(count)]


def benches(count: int, board: str = "toy") -> list[Bench]:
    return [Bench(name=f"{board}.{n}", board=board, runner="host") for n in range(count)]


@pytest.fixture(autouse=True)
def locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEPLOYER_LOCKS", str(tmp_path / "locks"))


@pytest.fixture
def file(tmp_path: Path) -> Callable[[str], Path]:
    """file(text): a matrix beside the models a.onnx and b.onnx."""

    def write(text: str) -> Path:
        for name in ("a", "b"):
            (tmp_path / f"{name}.onnx").write_text(name)
        (tmp_path / "matrix.toml").write_text(text)
        return tmp_path / "matrix.toml"

    return write


PLAIN = '[[matrix]]\nmodels = ["a.onnx", "b.onnx"]\nboards = ["host", "rpi3"]\n'
OPTIONS = '[matrix.options]\nscheme = ["multiply-shift", "power-of-two"]\ngolden = 2\n'


def test_every_combination_is_a_cell(file: Callable[[str], Path]) -> None:
    found = read_matrix(file(PLAIN + OPTIONS + "stream-input = [true, false]\n"), version="1")
    assert len(found.cells) == len({cell.id for cell in found.cells}) == 2 * 2 * 2 * 2
    assert found.cells[0].words == (
        *("--scheme", "multiply-shift", "--golden", "2", "--stream-input"),
    )
    assert found.cells[1].words == ("--scheme", "multiply-shift", "--golden", "2")
    assert (found.results, found.output) == (
        found.folder / "results.sqlite",
        found.folder / "build",
    )


def test_a_cell_is_another_when_what_shapes_it_changes(
    file: Callable[[str], Path], tmp_path: Path
) -> None:
    (tmp_path / "samples.npz").write_text("one")
    text = PLAIN + '[matrix.options]\ncalibration = "samples.npz"\n'
    first = read_matrix(file(text), version="1")
    assert read_matrix(file(text), version="1").digest == first.digest
    assert read_matrix(file(text), version="2").digest != first.digest
    (tmp_path / "samples.npz").write_text("two")
    assert read_matrix(file(text), version="1").digest != first.digest


def test_cells_that_are_the_same_are_one(file: Callable[[str], Path]) -> None:
    assert len(read_matrix(file(PLAIN + PLAIN), version="1").cells) == 4


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "lacks the key 'matrix'"),
        ('[[matrix]]\nmodels = []\nboards = ["host"]\n', "matrix\\[0\\].models is \\[\\]"),
        ('[[matrix]]\nmodels = ["c.onnx"]\nboards = ["host"]\n', "no such model: .*c.onnx"),
        (PLAIN + '[matrix.options]\noutput = "x"\n', "has 'output', which the matrix decides"),
        (PLAIN + "[matrix.options]\nram = {}\n", "options.ram is"),
        (PLAIN + "speed = 3\n", "unknown key 'speed'"),
    ],
)
def test_what_a_matrix_does_not_take_is_named(
    file: Callable[[str], Path], text: str, what: str
) -> None:
    with pytest.raises(UsageError, match=what):
        read_matrix(file(text), version="1")


def simulated(queue: Queue, found: list[Bench], seconds: Callable[[Cell], float]) -> float:
    """When the last cell ends, if every bench takes its next as soon as it is free."""
    running: list[tuple[float, int, Cell]] = []
    now, idle = 0.0, list(range(len(found)))
    while True:
        for place in list(idle):
            cell = queue.take(found[place])
            if cell is not None:
                idle.remove(place)
                heapq.heappush(running, (now + seconds(cell), place, cell))
        if not running:
            return now
        now, place, _ = heapq.heappop(running)
        queue.finished(found[place])
        idle.append(place)


def test_four_benches_are_three_and_a_half_times_as_fast_as_one() -> None:
    """24 cells of unequal length; the schedule is simulated."""
    found = cells(24)
    lengths = {cell.id: 5 + 7 * (place * 5 % 8) / 8 for place, cell in enumerate(found)}

    def seconds(cell: Cell) -> float:
        return lengths[cell.id]

    one = simulated(Queue(found, benches(1)), benches(1), seconds)
    four = simulated(Queue(found, benches(4)), benches(4), seconds)
    assert one == pytest.approx(sum(lengths.values()))
    assert one / four >= 3.5


@given(
    st.lists(st.sampled_from(["toy", "other"]), max_size=12),
    st.dictionaries(st.sampled_from(["toy.0", "toy.1", "other.0"]), st.integers(0, 4)),
)
def test_every_cell_ends_once_whatever_the_benches_do(
    boards: list[str], broken: dict[str, int]
) -> None:
    """``broken``: how many cells each bench fails first."""
    found = [Cell(str(n), "net", board, "", ()) for n, board in enumerate(boards)]
    desks = [*benches(2), *benches(1, "other")]
    queue, ended, tries = Queue(found, desks), Counter[str](), Counter[str]()
    left = Counter(broken)
    while not all(queue.over(desk) for desk in desks):
        for desk in desks:
            cell = queue.take(desk)
            if cell is None:
                continue
            tries[cell.id] += 1
            if left[desk.name] > 0:
                left[desk.name] -= 1
                ended[cell.id] += not queue.troubled(desk, cell, "no answer")
            else:
                queue.finished(desk)
                ended[cell.id] += 1
        ended.update(cell.id for cell in queue.stranded())
    ended.update(cell.id for cell in queue.stranded())
    assert ended == Counter(cell.id for cell in found)
    assert max(tries.values(), default=0) <= 3


def test_trouble_moves_a_cell_to_a_twin_and_a_bench_that_stays_in_trouble_is_left_out() -> None:
    (first, second), (one, two) = benches(2), cells(2)
    queue = Queue([one, two], [first, second])
    assert queue.take(first) is one
    assert queue.troubled(first, one, "no probe")
    assert queue.take(first) is two  # not the one that it failed
    assert queue.troubled(first, two, "no probe")
    assert queue.quarantined == {first.name: "no probe"}
    assert queue.take(first) is None
    assert queue.over(first)
    assert [queue.take(second), queue.take(second)] == [two, one]


def test_a_result_between_makes_trouble_no_strike() -> None:
    (bench,), found = benches(1), cells(3)
    queue = Queue(found, [bench])
    for _ in range(2):
        cell = queue.take(bench)
        assert cell is not None
        queue.troubled(bench, cell, "noise")
        queue.take(bench)
        queue.finished(bench)
    assert queue.quarantined == {}


class Fake:
    """A worker that does what ``plan`` says of its bench's next tries: a status each, then 0."""

    def __init__(self, bench: Bench, plan: dict[str, Iterator[int]], log: list[Any]):
        self.bench, self.plan, self.log, self.closed = bench, plan, log, False

    def run(self, cell: Cell, options: dict[str, Any]) -> tuple[int, str]:
        status = next(self.plan.get(self.bench.name, iter(())), 0)
        self.log.append((self.bench.name, cell.id, status))
        return status, f"status {status}"

    def close(self) -> None:
        self.closed = True


def conducted(
    found: list[Cell], desks: list[Bench], plan: dict[str, list[int]]
) -> tuple[list[Ended], Conductor, list[Any]]:
    ends: list[Ended] = []
    log: list[Any] = []
    plans = {name: iter(statuses) for name, statuses in plan.items()}
    conductor = Conductor(
        found, desks, worker=lambda bench: Fake(bench, plans, log), told=ends.append, rest=0
    )
    conductor.run()
    return ends, conductor, log


def test_a_wrong_result_is_never_tried_again() -> None:
    ends, _, log = conducted(cells(3), benches(1), {"toy.0": [0, 5, 3]})
    assert [(end.cell.id, end.status, end.final) for end in ends] == [
        ("toy0", 0, True),
        ("toy1", 5, True),
        ("toy2", 3, True),
    ]
    assert len(log) == 3


def test_cells_of_a_dead_bench_are_run_by_its_twin() -> None:
    desks, log, ends = benches(2), [], []
    dead = desks[0].name

    class Patient(Fake):
        """The twin begins when the dead bench has failed twice, so that it cannot do all alone."""

        def run(self, cell: Cell, options: dict[str, Any]) -> tuple[int, str]:
            while self.bench.name != dead and len(log) < 2:
                time.sleep(0.001)
            return super().run(cell, options)

    plans = {dead: iter([RIG] * 20)}
    conductor = Conductor(
        cells(8), desks, worker=lambda bench: Patient(bench, plans, log), told=ends.append, rest=0
    )
    conductor.run()
    final = {end.cell.id: end for end in ends if end.final}
    assert len(final) == 8
    assert {end.status for end in final.values()} == {0}
    assert set(conductor.queue.quarantined) == {"toy.0"}


def test_cells_that_no_bench_takes_end_with_the_cause() -> None:
    ends, _, _ = conducted(cells(4), benches(1), {"toy.0": [RIG] * 20})
    final = [end for end in ends if end.final]
    assert len(final) == 4
    assert {end.status for end in final} == {RIG}
    assert any("toy.0: status 6" in end.text for end in final)
    (alone,), _, _ = conducted(cells(1, "moon"), benches(1), {})
    assert (alone.status, alone.text) == (RIG, "no bench of the lab takes it")


def test_a_bench_that_another_uses_is_waited_for() -> None:
    from deployer_hil.lab import hold

    (bench,) = benches(1)
    ends: list[Ended] = []
    conductor = Conductor(cells(2), [bench], worker=lambda b: Fake(b, {}, []), told=ends.append)
    with hold(bench):
        thread = threading.Thread(target=conductor.run)
        thread.start()
        thread.join(0.3)
        assert ends == []
    thread.join()
    assert [end.status for end in ends] == [0, 0]


def test_a_bench_whose_console_is_gone_is_in_trouble_and_its_twin_does_the_work() -> None:
    lost = Bench(name="toy.lost", board="toy", runner="pyocd", serial="066B")
    ends: list[Ended] = []
    conductor = Conductor(
        *(cells(3), [lost, *benches(1)]),
        worker=lambda bench: Fake(bench, {}, []),
        told=ends.append,
        rest=0,
    )
    conductor.run()
    assert {end.cell.id for end in ends if end.status == 0} == {"toy0", "toy1", "toy2"}
    assert {end.bench for end in ends if end.status == RIG} <= {lost}


def test_a_bench_in_trouble_is_given_a_rest() -> None:
    began = time.monotonic()
    conductor = Conductor(
        *(cells(2), benches(1)),
        worker=lambda bench: Fake(bench, {"toy.0": iter([RIG])}, []),
        told=lambda ended: None,
        rest=0.2,
    )
    conductor.run()
    assert time.monotonic() - began >= 0.2


def test_a_bench_that_cannot_be_had_is_trouble_of_the_rig(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serial_ports, "ports", lambda: ())
    lost = Bench("lost", "toy", "pyocd", serial="7")
    ends, conductor, log = conducted(cells(2), [lost], {})
    assert {end.status for end in ends if end.final} == {RIG}
    assert "no serial port" in conductor.queue.quarantined["lost"]
    assert log == []


def test_a_cell_that_has_run_is_not_run_again_where_its_bench_is_not_given_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    @contextmanager
    def stuck(bench: Bench) -> Iterator[dict[str, Any]]:
        yield {}
        raise BenchError("not given back")

    monkeypatch.setattr(conduct, "hold", stuck)
    ends, _, log = conducted(cells(1), benches(1), {})
    assert [(end.status, end.final) for end in ends] == [(0, True)]
    assert len(log) == 1


def test_what_cannot_be_kept_ends_the_run() -> None:
    def full(ended: Ended) -> None:
        raise OSError("disk full")

    conductor = Conductor(cells(5), benches(2), worker=lambda bench: Fake(bench, {}, []), told=full)
    with pytest.raises(OSError, match="disk full"):
        conductor.run()


@settings(max_examples=20)
@given(st.lists(st.sampled_from([0, 5, RIG]), max_size=6))
def test_a_session_goes_on_until_it_is_ended(statuses: list[int]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        sessions = Sessions(Path(folder) / "r.sqlite")
        first = sessions.begin("abc")
        found = cells(len(statuses))
        for cell, status in zip(found, statuses, strict=True):
            sessions.keep(first, Ended(cell, None, status, "said"))
        assert sessions.begin("abc") == first
        assert sessions.begin("other") != first
        done = {c.id for c, status in zip(found, statuses, strict=True) if status != RIG}
        assert sessions.done(first) == done
        sessions.end(first)
        later = sessions.begin("abc")
        assert later != first
        assert sessions.done(later) == set()
        assert sessions.begin("abc", fresh=True) != later
        sessions.close()

"""Benches whose meter hangs or gives nothing: named in time, given back, and no proof is lost.

Each board is the fake device behind a fake probe; cells are answered as by the process of a bench.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from deployer.bundle import Bundle
from deployer.cli import lab_worker
from deployer.cli.jobs import lab_run
from deployer.cli.jobs.cell_worker import CellWorker
from deployer.errors import BenchError
from deployer.pipeline import prove as run_stage
from deployer_hil import MeasuredEnergy, Results, lab, matrix
from deployer_hil.energy import live
from deployer_hil.energy.recording import Recording
from deployer_hil.energy.timed import TimedMeter, within
from deployer_hil.exchange import Timeouts
from deployer_hil.serial_log import SerialLog
from fakes import fake_loader
from fakes.bundles import make_bundle
from fakes.fake_meter import FakeMeter, StuckMeter
from fakes.traces import Scene

SCENE = Scene(window=14 * 0.75, rate_hz=500)
CAPS = {"icache": "on", "dcache": "on", "trigger": "PF13"}
LIMIT = 0.5  # seconds of a call of the meter that hangs
PATIENT = 60.0  # of another
WHERE = {"start": "does not begin to record", "stop": "does not give its recording"}
Run = Callable[..., tuple[list[matrix.Ended], dict[str, str]]]


class Desks:
    """Cells of a matrix on boards with the ``meters`` of their benches."""

    def __init__(self, folder: Path, meters: dict[str, FakeMeter]):
        self.meters = meters
        self.place = matrix.MatrixFile(
            folder,
            tuple(matrix.Cell(f"c{n}", "net.onnx", "toy", "pyocd", ()) for n in range(3)),
            folder / "results.sqlite",
            folder / "build",
        )
        self.bundle = make_bundle(
            folder / "bundle",
            target="toy",
            runners={"pyocd": {}},
            counter="cycles",
            caps=CAPS,
            inference_us=750_000,
        )
        self.asked: list[str] = []

    def meter(self, spec: str) -> TimedMeter:
        self.asked.append(spec)
        found = self.meters[spec]
        return TimedMeter(found, seconds=LIMIT if isinstance(found, StuckMeter) else PATIENT)

    def measured(self, bundle: Bundle, device: Any, meter: Any, **given: Any) -> MeasuredEnergy:
        host, wait = meter._inner.host, Timeouts(silence=0.05)
        return live.measure_energy(bundle, device, meter, timeouts=wait, host=host, **given)

    def ran(self, request: Any, given: Any, view: Any, options: Any, meter: Any) -> Any:
        """As a real cell, with nothing to build."""
        job: Any = SimpleNamespace(runner="pyocd", progress=lambda *told: None)
        store: Any = {run_stage.BUILD: self.bundle}
        loader = fake_loader.device(self.bundle)
        loader.uid = next(name for name, each in self.meters.items() if each is meter._inner)
        return run_stage._ran(job, store, None, {"loader": loader}, SerialLog(), meter)

    def run(self, *benches: str) -> tuple[list[matrix.Ended], dict[str, str]]:
        """How each try ended, and the benches that took no more cells."""
        found = [lab.Bench(name, "toy", "pyocd", meter=name) for name in benches]
        ends: list[matrix.Ended] = []
        conductor = matrix.Conductor(
            self.place.cells, found, worker=self._worker, told=ends.append, rest=0
        )
        conductor.run()
        return ends, conductor.queue.quarantined

    def kept(self) -> dict[str, Any]:
        """Records by cell, which are there once."""
        with Results(self.place.results) as results:
            rows = list(results.all())
        assert len({row.cell for row in rows}) == len(rows)
        return {row.cell: row.record for row in rows}

    def untold(self) -> dict[str, matrix.Ending]:
        """Cells that a run which was killed would not run again: those with all figures."""
        with closing(matrix.Sessions(self.place.results)) as sessions:
            lab_run._keep_untold(self.place, sessions, "session")
            return sessions.endings("session")

    def _worker(self, bench: lab.Bench) -> Any:
        return Inside(CellWorker(self.place, "session", bench))


class Inside:
    """The process of a bench, in this one."""

    def __init__(self, outside: CellWorker):
        self._outside = outside

    def run(self, cell: matrix.Cell, options: dict[str, Any]) -> tuple[int, str]:
        said = lab_worker.answer(json.loads(self._outside._request(cell, options)), Results)
        return said["status"], said["text"]

    def close(self) -> None: ...


@pytest.fixture
def desks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Desks]]:
    """desks(bench=meter, …)"""
    made: list[Desks] = []

    def make(**meters: FakeMeter) -> Desks:
        found = Desks(tmp_path, meters)
        made.append(found)
        monkeypatch.setattr(lab_worker, "live_meter", found.meter)
        monkeypatch.setattr(lab_worker, "ran_of", found.ran)
        monkeypatch.setattr(lab_worker, "require_match", lambda report: None)
        monkeypatch.setattr(run_stage, "measure_energy", found.measured)
        monkeypatch.setattr(run_stage, "complete", lambda job, store, record, more: ({}, record))
        (tmp_path / "net.onnx").write_bytes(b"")
        monkeypatch.chdir(tmp_path)
        return found

    yield make
    for found in made:
        for meter in found.meters.values():
            if isinstance(meter, StuckMeter):
                meter.let_go()


@pytest.mark.parametrize("at", ["start", "stop", "nothing"])
def test_a_bench_whose_meter_hangs_is_named_and_its_twin_measures(
    desks: Callable[..., Desks], at: str
) -> None:
    lab_of_two = desks(bad=StuckMeter(SCENE, at), good=FakeMeter(SCENE))
    ends, quarantined = lab_of_two.run("bad", "good")
    said = f"is stuck: it {WHERE[at]}" if at in WHERE else "gave no samples"
    troubles = [(end.bench, end.text) for end in ends if end.status == matrix.RIG]
    assert troubles
    assert all(bench and bench.name == "bad" for bench, _ in troubles)
    assert all(text.startswith(f"fake meter 7 {said}") for _, text in troubles), troubles
    assert set(quarantined) <= {"bad"}
    final = [(end.cell.id, end.status) for end in ends if end.final]
    assert sorted(final) == [("c0", 0), ("c1", 0), ("c2", 0)]
    assert all(record.energy and not record.missing for record in lab_of_two.kept().values())


@pytest.mark.parametrize("at", ["start", "nothing"])
def test_what_was_proven_is_kept_without_energy_and_completed_by_the_next_run(
    desks: Callable[..., Desks], at: str
) -> None:
    """The only bench: it takes no more after two cells, and is free."""
    one = desks(desk=StuckMeter(SCENE, at))
    ends, quarantined = one.run("desk")
    assert {end.status for end in ends} == {matrix.RIG}
    assert list(quarantined) == ["desk"]
    kept = one.kept()
    assert kept
    for record in kept.values():
        assert record.golden.match
        assert record.energy is None
        assert record.missing["energy"].startswith("fake meter 7 ")
    with lab.hold(lab.Bench("desk", "toy", "pyocd")):  # nobody else has it
        pass
    assert one.untold() == {}
    one.meters["desk"] = FakeMeter(SCENE)
    ends, _ = one.run("desk")
    assert [end.status for end in ends] == [0, 0, 0]
    assert all(record.energy and not record.missing for record in one.kept().values())
    assert set(one.untold()) == {"c0", "c1", "c2"}


def test_a_meter_that_is_not_given_back_takes_no_figure_with_it(
    desks: Callable[..., Desks],
) -> None:
    one = desks(desk=StuckMeter(SCENE, "close"))
    ends, _ = one.run("desk")
    assert [end.status for end in ends] == [0, 0, 0]
    assert all(record.energy for record in one.kept().values())


def test_a_meter_that_hung_is_not_asked_again() -> None:
    inner = StuckMeter(SCENE, "start")
    meter = TimedMeter(inner, seconds=0.05)
    for said in ("does not begin to record within", "is stuck"):
        with pytest.raises(BenchError, match=said):
            meter.start()
    began = time.process_time()
    meter.close()
    assert inner.calls == []
    assert time.process_time() - began < 0.05
    inner.let_go()


def test_what_a_call_gives_or_raises_comes_through() -> None:
    found = Recording(1.0, *(SimpleNamespace(),) * 3)  # type: ignore[arg-type]
    assert within(PATIENT, lambda: replace(found, dropped=3)).dropped == 3
    with pytest.raises(ZeroDivisionError):
        within(PATIENT, lambda: 1 // 0)

"""A run on a board with a meter: its record has the energy, and none of a wrong result."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from deployer.bundle import Bundle
from deployer.cli import lab_worker
from deployer.errors import UsageError
from deployer.pipeline import prove as run_stage
from deployer_hil import MeasuredEnergy, Results, RunRecord
from deployer_hil.energy.live import measure_energy
from deployer_hil.exchange import Timeouts
from deployer_hil.serial_log import SerialLog
from fakes import fake_loader
from fakes.bundles import make_bundle
from fakes.fake_meter import FakeMeter
from fakes.traces import Scene

CAPS = {"icache": "on", "dcache": "on", "trigger": "PF13"}
SCENE = Scene(window=14 * 0.75)
Ran = Callable[..., RunRecord]


@pytest.fixture
def ran(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ran:
    """ran(meter, …): the record of a board that is the fake device, with nothing to build."""

    def quick(bundle: Bundle, device: Any, source: Any, **given: Any) -> MeasuredEnergy:
        wait = Timeouts(silence=0.05)
        return measure_energy(bundle, device, source, timeouts=wait, host=source.host, **given)

    def run(meter: Any, **config: Any) -> RunRecord:
        given = {"counter": "cycles", "caps": CAPS, "inference_us": 750_000, **config}
        bundle = make_bundle(tmp_path / "bundle", target="toy", runners={"pyocd": {}}, **given)
        job = SimpleNamespace(runner="pyocd", progress=lambda *told: None)
        seen: list[RunRecord] = []

        def complete(job: Any, store: Any, record: RunRecord, accuracy: Any) -> Any:
            seen.append(record)
            return {}, record

        monkeypatch.setattr(run_stage, "complete", complete)
        monkeypatch.setattr(run_stage, "measure_energy", quick)
        store: Any = {run_stage.BUILD: bundle}
        options = {"loader": fake_loader.device(bundle)}
        run_stage._ran(job, store, None, options, SerialLog(), meter)  # type: ignore[arg-type]
        return seen[0]

    return run


def test_a_record_has_what_the_meter_measured(ran: Ran) -> None:
    record = ran(FakeMeter(SCENE))
    assert record.energy is not None
    assert (record.energy["kind"], record.energy["meter"]) == ("measured", "fake meter 7")
    assert record.energy["microjoules"] == pytest.approx(1e6 * SCENE.joules / 14, rel=1e-3)
    assert RunRecord.from_json(record.to_json()).energy == record.energy


def test_without_a_meter_or_with_a_wrong_result_there_is_none(ran: Ran) -> None:
    assert ran(None).energy is None
    meter = FakeMeter(SCENE)
    assert ran(meter, wrong_step=1).energy is None
    assert meter.calls == []


def request(meter: str) -> dict[str, Any]:
    words = ["--board", "nucleo-f767zi", "net.onnx"]
    where = {"results": "r.sqlite", "session": "s", "cell": "c", "bench": "nucleo-1"}
    return {"words": words, "options": {}, "meter": meter, **where}


def test_a_cell_is_measured_by_the_meter_of_its_bench(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)  # where the results are
    meter = FakeMeter(SCENE)
    given: list[Any] = []
    monkeypatch.setattr(lab_worker, "live_meter", lambda spec: meter)
    monkeypatch.setattr(lab_worker, "keep", lambda ran, path, **where: None)
    monkeypatch.setattr(lab_worker, "require_match", lambda report: None)
    monkeypatch.setattr(
        lab_worker,
        "ran_of",
        lambda *more: given.append(more[-1]) or SimpleNamespace(report={}, trouble=None),
    )
    assert lab_worker.answer(request("joulescope:7"), Results)["status"] == 0
    assert lab_worker.answer(request(""), Results)["status"] == 0
    assert given == [meter, None]
    assert meter.calls == ["close"]


def test_a_recording_measures_no_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(spec: str) -> Any:
        raise UsageError(f"meter {spec}: a recording is of another run")

    monkeypatch.setattr(lab_worker, "live_meter", refuse)
    said = lab_worker.answer(request("replay:t.npz"), Results)
    assert (said["status"], said["text"]) == (
        2,
        "meter replay:t.npz: a recording is of another run",
    )

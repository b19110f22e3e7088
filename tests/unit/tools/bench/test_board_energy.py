"""A job, a meter and a board become a table: what is kept, what is closed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from deployer.bundle import Bundle
from deployer.errors import BenchError
from deployer.tools.bench import board_energy
from deployer.tools.bench.board_energy import measure_model_energy
from deployer.tools.bench.energy_table import energy_facts, energy_markdown
from deployer_hil import AssumedPower, MeasuredEnergy
from deployer_hil.energy.live import measure_energy
from deployer_hil.energy.meter import create_meter
from deployer_hil.energy.per_inference import energy_of
from deployer_hil.exchange import Timeouts
from fakes import fake_loader
from fakes.bundles import make_bundle
from fakes.fake_meter import FakeMeter
from fakes.traces import Scene

CAPS = {"icache": "on", "dcache": "on", "trigger": "PF13"}
SCENE = Scene(window=14 * 0.75)


@pytest.fixture
def measure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """measure(source, …) on a board that is the fake device, with nothing to build."""
    bundle = make_bundle(
        tmp_path / "bundle", target="toy", runners={"pyocd": {}}, caps=CAPS, inference_us=750_000
    )

    def quick(bundle: Bundle, device: Any, source: Any, **given: Any) -> MeasuredEnergy:
        host = getattr(source, "host", None)
        return measure_energy(
            bundle, device, source, timeouts=Timeouts(silence=0.05), host=host, **given
        )

    monkeypatch.setattr(board_energy, "alone", lambda job: nullcontext())
    monkeypatch.setattr(board_energy, "execute", lambda job: {board_energy.BUILD: bundle})
    monkeypatch.setattr(board_energy, "measure_energy", quick)
    job = SimpleNamespace(
        runner="pyocd", board=SimpleNamespace(name="toy"), progress=lambda *told: None
    )
    reach = {"loader": fake_loader.device(bundle)}
    return lambda source, **given: measure_model_energy(job, reach, source, **given)  # type: ignore[arg-type]


def test_a_meter_s_windows_become_a_table(measure: Callable[..., Any]) -> None:
    meter = FakeMeter(SCENE)
    subject, found = measure(meter)
    facts = energy_facts(subject, found.energy)
    assert (facts["name"], facts["board"], facts["meter"]) == ("toy net", "toy", "fake meter 7")
    assert facts["microjoules"] == pytest.approx(1e6 * SCENE.joules / 14, rel=1e-3)
    assert facts["caps"]["trigger"] == "PF13"
    head = energy_markdown(facts).splitlines()[0]
    assert head.startswith("toy net on toy: ")
    assert head.endswith("; measured, fake meter 7.")
    assert meter.calls[-1] == "close"


def test_assumed_power_is_labelled(measure: Callable[..., Any]) -> None:
    subject, found = measure(AssumedPower(3.5))
    facts = energy_facts(subject, found.energy)
    assert facts["kinds"] == {"energy": "assumed", "seconds": "measured"}
    assert (facts["edge_error"], facts["idle_watts"]) == (None, None)
    text = energy_markdown(facts)
    assert "µJ per inference; assumed, assumed power of 3.5 W." in text
    assert "Edges" not in text


def test_what_is_kept_is_replayed_to_the_same_figure(
    measure: Callable[..., Any], tmp_path: Path
) -> None:
    _, found = measure(FakeMeter(SCENE), folder=tmp_path / "kept" / "first")
    again: Any = create_meter(f"replay:{tmp_path / 'kept' / 'first'}")
    names = sorted(path.name for path in (tmp_path / "kept" / "first").iterdir())
    windows = [f"window-{at}.npz" for at in range(1, 6)]
    assert names == ["idle-1.npz", "idle-2.npz", *windows]
    assert energy_of(again.windows, 14, idle=again.idle) == found.energy


def test_the_meter_is_closed_when_the_measurement_fails(measure: Callable[..., Any]) -> None:
    meter = FakeMeter(SCENE, fault=lambda whole: whole.part(0, 0))
    with pytest.raises(BenchError, match="no samples"):
        measure(meter)
    assert meter.calls[-1] == "close"

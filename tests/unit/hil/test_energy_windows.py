"""Energy between edges: the analytic one within the error that is stated, or a refusal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deployer.errors import BenchError, UsageError
from deployer_hil.energy.per_inference import (
    MOST_TIME_DRIFT,
    Energy,
    energy_of,
    idle_watts,
    window_of,
)
from deployer_hil.energy.pulses import split, window_between
from deployer_hil.energy.recording import NO_TRUST, Recording
from fakes.traces import Scene, five, joined, recorded, waiting

SCENES = st.builds(
    Scene,
    rate_hz=st.sampled_from([500, 1_000, 4_000]),
    window=st.floats(10.01, 13),
    around=st.floats(0.05, 0.5),
    pulse=st.floats(0.2e-3, 5e-3),
    volts=st.floats(0.8, 5),
    idle=st.floats(1e-5, 0.01),
    work=st.floats(0.02, 2),
    slope=st.floats(-0.5, 0.5),
    noise=st.floats(1e-6, 1e-2),
    seed=st.integers(0, 1000),
)
FEW = settings(max_examples=40, deadline=None)
Fault = Callable[[Recording, float], Recording]


@FEW
@given(SCENES)
def test_a_window_has_the_analytic_energy(scene: Scene) -> None:
    found = window_of(recorded(scene))
    assert found.seconds == pytest.approx(scene.count / scene.rate_hz)
    allowed = found.edge_error * found.joules + scene.noise_joules
    assert abs(found.joules - scene.joules) <= allowed + 1e-9 * scene.joules


@FEW
@given(SCENES.filter(lambda scene: scene.noise < scene.work / 50))
def test_five_windows_and_idle_give_total_and_net(scene: Scene) -> None:
    idle = [waiting(scene), waiting(replace(scene, seed=scene.seed + 7))]
    found = energy_of(five(scene), 700, idle=idle)
    allowed = (found.edge_error * scene.joules + scene.noise_joules) / 700 + 1e-12
    assert abs(found.joules - scene.joules / 700) <= allowed
    seconds = scene.count / scene.rate_hz
    noise = 8 * scene.noise * scene.volts / 2_000**0.5 * seconds
    net = (scene.joules - scene.idle * scene.volts * seconds) / 700
    assert found.net_joules is not None
    assert abs(found.net_joules - net) <= allowed + noise / 700
    assert found.watts == pytest.approx(found.joules * 700 / seconds, rel=1e-3)
    assert found.seconds == pytest.approx(seconds / 700)


def _edge(recording: Recording, at: int) -> slice:
    """The low samples of pulse ``at``."""
    low = np.flatnonzero(~recording.trigger)
    first = window_between(recording)[at]
    return slice(first, first + int(np.count_nonzero((low >= first) & (low < first + 60))))


def _without(pulse: int) -> Fault:
    def fault(recording: Recording, _: float) -> Recording:
        trigger = recording.trigger.copy()
        trigger[_edge(recording, pulse)] = True
        return replace(recording, trigger=trigger)

    return fault


def _stays_low(recording: Recording, _: float) -> Recording:
    """The rising edge of the first pulse is missing."""
    trigger = recording.trigger.copy()
    begin, end = window_between(recording)
    trigger[begin:end] = False
    return replace(recording, trigger=trigger)


def _one_more(recording: Recording, part: float) -> Recording:
    begin, end = window_between(recording)
    width = _edge(recording, 0).stop - begin
    trigger = recording.trigger.copy()
    at = begin + 2 * width + int(part * (end - begin - 4 * width))
    trigger[at : at + width] = False
    return replace(recording, trigger=trigger)


def _cut_in_a_pulse(recording: Recording, _: float) -> Recording:
    return recording.part(window_between(recording)[0], len(recording.amps))


def _drops(recording: Recording, part: float) -> Recording:
    return replace(recording, dropped=1 + int(100 * part))


def _no_number(recording: Recording, part: float) -> Recording:
    amps = recording.amps.copy()
    amps[int(part * (len(amps) - 1))] = np.nan
    return replace(recording, amps=amps)


def _stuck(recording: Recording, part: float) -> Recording:
    begin, end = window_between(recording)
    least = max(64, int(0.05 * recording.rate_hz) + 1)
    at = begin + int(part * (end - begin - least))
    amps = recording.amps.copy()
    amps[at : at + least] = amps[at]
    return replace(recording, amps=amps)


def _short(recording: Recording, _: float) -> Recording:
    """Samples of the middle go, so that less than ten seconds are left."""
    begin, end = window_between(recording)
    lost = end - begin - int(9.9 * recording.rate_hz)
    middle = np.ones(len(recording.amps), bool)
    middle[(begin + end) // 2 : (begin + end) // 2 + lost] = False
    columns = (recording.volts[middle], recording.amps[middle], recording.trigger[middle])
    return Recording(recording.rate_hz, *columns)


def _reversed(recording: Recording, _: float) -> Recording:
    return replace(recording, amps=-recording.amps)


def _nothing(recording: Recording, _: float) -> Recording:
    return recording.part(0, 0)


FAULTS: dict[str, tuple[Fault, str]] = {
    "no start": (_without(0), "1 pulses, 2 bound"),
    "no end": (_without(1), "1 pulses, 2 bound"),
    "no rising edge": (_stays_low, "a pulse is about 1 ms"),
    "one more": (_one_more, "3 pulses, 2 bound"),
    "begins low": (_cut_in_a_pulse, "begins with the trigger low"),
    "drops": (_drops, "the meter dropped"),
    "no number": (_no_number, "the meter dropped"),
    "stuck": (_stuck, "the meter is stuck"),
    "short": (_short, "at least 10 s"),
    "reversed": (_reversed, "no energy flows"),
    "nothing": (_nothing, "gave no samples"),
}


@pytest.mark.parametrize("name", FAULTS)
@settings(max_examples=12, deadline=None)
@given(scene=SCENES.filter(lambda scene: scene.noise < scene.work / 50), part=st.floats(0, 1))
def test_a_fault_of_the_recording_is_refused(name: str, scene: Scene, part: float) -> None:
    fault, said = FAULTS[name]
    bad = fault(recorded(scene), part)
    with pytest.raises(BenchError, match=said) as caught:
        window_of(bad)
    assert caught.value.why[-1] == NO_TRUST


@FEW
@given(
    scene=SCENES.filter(lambda scene: scene.noise < scene.work / 50),
    lost=st.floats(0, 0.05),
    which=st.integers(0, 4),
    part=st.floats(0.01, 0.9),
)
def test_samples_that_go_unsaid_cost_little_or_the_measurement(
    scene: Scene, lost: float, which: int, part: float
) -> None:
    """A window without some of its samples is shorter than the others."""
    windows = five(replace(scene, slope=0.0))
    begin, end = window_between(windows[which])
    first = begin + int(part * (end - begin))
    kept = np.ones(len(windows[which].amps), bool)
    kept[first : first + int(lost * (end - begin))] = False
    kept[end:] = True
    whole = windows[which]
    columns = (whole.volts[kept], whole.amps[kept], whole.trigger[kept])
    windows[which] = Recording(whole.rate_hz, *columns)
    found, why = _energy_or_why(windows)
    if found is None:
        assert "drift" in why or "at least 10 s" in why
        return
    wanted = replace(scene, slope=0.0).joules
    assert abs(100 * found.joules / wanted - 1) <= MOST_TIME_DRIFT + found.edge_error + 0.01


def _energy_or_why(windows: list[Recording]) -> tuple[Energy | None, str]:
    try:
        return energy_of(windows, 100), ""
    except BenchError as error:
        return None, error.what


@FEW
@given(
    scene=SCENES.filter(lambda scene: scene.noise < scene.work / 50),
    more=st.floats(0.06, 2),
    which=st.integers(0, 4),
)
def test_windows_that_drift_in_energy_are_refused(scene: Scene, more: float, which: int) -> None:
    windows = five(scene)
    windows[which] = recorded(replace(scene, work=scene.work * (1 + more)))
    with pytest.raises(BenchError, match="drift"):
        energy_of(windows, 10)


def test_windows_that_drift_in_time_are_refused() -> None:
    windows = [*five(Scene())[:4], recorded(Scene(window=10.7))]
    with pytest.raises(BenchError, match="they last"):
        energy_of(windows, 10)


@pytest.mark.parametrize("count", [0, 4, 6])
def test_other_than_five_windows_are_refused(count: int) -> None:
    with pytest.raises(BenchError, match=f"{count} windows"):
        energy_of([recorded(Scene())] * count, 10)


def test_no_inferences_are_a_mistake() -> None:
    with pytest.raises(UsageError, match="0 inferences"):
        energy_of(five(Scene()), 0)


@FEW
@given(SCENES.filter(lambda scene: scene.noise < scene.work / 50))
def test_a_long_recording_is_cut_between_windows(scene: Scene) -> None:
    apart = five(scene)
    whole = energy_of(split(joined(apart), 5), 10)
    assert whole.joules == pytest.approx(energy_of(apart, 10).joules, rel=1e-9)


def test_a_long_recording_with_another_pulse_is_refused() -> None:
    with pytest.raises(BenchError, match="8 pulses, 10 bound"):
        split(joined(five(Scene())[:4]), 5)


@pytest.mark.parametrize("rate_hz", [200_000, 1_000_000])
def test_a_pin_that_bounces_gives_one_edge(rate_hz: int) -> None:
    """For up to 20 µs at either edge."""
    clean = recorded(Scene(rate_hz=rate_hz, window=10.01, around=0.01))
    trigger = clean.trigger.copy()
    for edge in np.flatnonzero(clean.trigger[1:] != clean.trigger[:-1]):
        trigger[edge - 3] = not trigger[edge - 3]
        trigger[edge + 4] = not trigger[edge + 4]
    found = window_of(replace(clean, trigger=trigger))
    assert found.seconds == pytest.approx(10.01, abs=40e-6)


@pytest.mark.parametrize(
    ("idle", "said"),
    [
        (recorded(Scene()), "gave a pulse while"),
        (waiting(Scene(), seconds=0.5), "recorded for 0.500 s"),
        (replace(waiting(Scene()), dropped=3), "dropped 3 of 4,003"),
        (waiting(Scene(noise=0.0)), "stuck: 0.01 A"),
    ],
    ids=["pulse", "short", "drops", "stuck"],
)
def test_idle_that_is_none_is_refused(idle: Recording, said: str) -> None:
    with pytest.raises(BenchError, match=said):
        idle_watts(idle)


@pytest.mark.parametrize(
    ("amps", "said"), [((0.01, 0.02), "idle power drifts"), ((0.2, 0.2), "idle and 0.33 W at work")]
)
def test_idle_power_that_does_not_fit_is_refused(amps: tuple[float, ...], said: str) -> None:
    idle = [waiting(Scene(idle=value)) for value in amps]
    with pytest.raises(BenchError, match=said):
        energy_of(five(Scene()), 10, idle=idle)


def test_columns_of_several_lengths_are_no_recording() -> None:
    whole = recorded(Scene())
    with pytest.raises(BenchError, match="no recording"):
        window_of(replace(whole, volts=whole.volts[1:]))
    with pytest.raises(BenchError, match="no recording"):
        window_of(replace(whole, rate_hz=0.0))

"""A meter, a board and the windows between: what is measured, and what ends in no figure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from deployer.bundle import Bundle
from deployer.errors import BenchError, MismatchError, UsageError
from deployer_hil.energy.live import MeasuredEnergy, measure_energy
from deployer_hil.energy.meter import AssumedPower, Source
from deployer_hil.energy.recording import Recording
from deployer_hil.exchange import Timeouts
from deployer_hil.runner import Caps, create
from deployer_hil.session import Session
from fakes import fake_loader
from fakes.fake_meter import FakeMeter
from fakes.traces import Scene

Toy = Callable[..., Bundle]
ON = {"icache": "on", "dcache": "on", "trigger": "PF13"}
QUICK = Timeouts(silence=0.05)
MICROSECONDS = 750_000
INFERENCES = 14  # as many as last ten seconds, and five in a hundred more
SCENE = Scene(window=INFERENCES * MICROSECONDS / 1e6)


def measured(toy: Toy, source: Source, **config: Any) -> MeasuredEnergy:
    """On a board of its own: the fake device behind a fake probe."""
    inferences = config.pop("inferences", None)
    given = {"counter": "cycles", "caps": ON, "inference_us": MICROSECONDS, **config}
    bundle = toy(target="toy", runners={"pyocd": {}}, **given)
    host = source.host if isinstance(source, FakeMeter) else None
    with create("pyocd", bundle, loader=fake_loader.device(bundle)) as runner:
        return measure_energy(
            bundle, runner, source, inferences=inferences, timeouts=QUICK, host=host
        )


def test_five_windows_as_long_as_ten_seconds_and_idle_around_them(toy: Toy) -> None:
    meter = FakeMeter(SCENE)
    found = measured(toy, meter)
    assert found.energy.inferences == INFERENCES
    assert found.energy.joules == pytest.approx(SCENE.joules / INFERENCES, rel=1e-3)
    assert found.energy.idle_watts == pytest.approx(SCENE.volts * SCENE.idle, rel=1e-2)
    assert found.energy.net_joules == pytest.approx(0.9 * found.energy.joules, rel=1e-2)
    assert (found.energy.kind, found.caps["trigger"]) == ("measured", "PF13")
    assert [call for call in meter.calls if call in ("start", "stop")] == ["start", "stop"] * 7


def test_inferences_a_window_can_be_given(toy: Toy) -> None:
    scene = replace(SCENE, window=20 * MICROSECONDS / 1e6)
    assert measured(toy, FakeMeter(scene), inferences=20).energy.inferences == 20


def test_a_meter_without_an_input_is_told_the_edges_by_the_host(toy: Toy) -> None:
    """The board's own clock says how far the host's marks are off."""
    late = replace(SCENE, window=SCENE.window + 0.1)
    meter = FakeMeter(late, sees_trigger=False)
    found = measured(toy, meter, caps={"icache": "on"})
    assert meter.calls.count("mark") == 10
    assert pytest.approx(found.energy.edge_error, rel=0.1) == 2 * 0.1 / 10.5


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (lambda whole: whole.part(0, 0), "the meter gave no samples"),
        (lambda whole: replace(whole, dropped=2), "the meter dropped 2 of"),
        (lambda whole: replace(whole, amps=whole.amps * 0 + 0.1), "the meter is stuck"),
        (lambda whole: whole.part(0, len(whole.amps) // 2), "the meter recorded"),
        (lambda whole: replace(whole, trigger=whole.trigger | True), "gave no pulses"),
        (lambda whole: replace(whole, rate_hz=whole.rate_hz * 0.9), "the board takes 10.500 s"),
    ],
    ids=["nothing", "drops", "stuck", "half", "no trigger", "wrong rate"],
)
@pytest.mark.parametrize("since", [1, 3])
def test_a_meter_at_fault_gives_no_figure(
    toy: Toy, fault: Callable[[Recording], Recording], said: str, since: int
) -> None:
    """From the first window on, or from a later one."""
    with pytest.raises(BenchError, match=said):
        measured(toy, FakeMeter(SCENE, fault=fault, since=since))


def test_time_that_was_not_recorded_is_noticed(toy: Toy) -> None:
    with pytest.raises(BenchError, match=r"recorded 3\.200 s of 5\.000 s"):
        measured(toy, FakeMeter(SCENE, late=2.0))


@pytest.mark.parametrize(
    ("config", "error", "said"),
    [
        ({"caps": {"icache": "on", "dcache": "on"}}, BenchError, "toy has no trigger pin"),
        ({"caps": {**ON, "dcache": "off"}}, BenchError, "does not run as"),
        ({"constants": ["image", 4, "00c0ffee", "00000000"]}, BenchError, "weights on the board"),
        ({"wrong_output": True}, MismatchError, "golden outputs"),
        ({"no_modes": True}, BenchError, "unknown command"),
    ],
)
def test_a_board_at_fault_gives_no_figure(
    toy: Toy, config: dict[str, Any], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        measured(toy, FakeMeter(SCENE), **config)


def test_a_board_that_tells_no_time_has_no_energy(toy: Toy) -> None:
    with pytest.raises(BenchError, match="toy tells no time of 1 inferences"):
        measured(toy, AssumedPower(3.5), inference_us=0.1)


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"restarts": {"infer": 1}}, "bad reply to 'infer 3 0'"),
        ({"garble": {"infer": [1, "m-infer-done", "m-infer-d0ne"]}}, "bad reply to 'infer 3 0'"),
        ({"silent_at": "infer"}, "the device is silent: sent 'infer 3 0'"),
    ],
)
def test_a_window_that_goes_wrong_is_not_asked_for_again(
    talk: Callable[..., Session], toy: Toy, config: dict[str, Any], said: str
) -> None:
    """Another one would be in the same recording."""
    session = talk(hasty=True, **config)
    session.open(toy())
    with pytest.raises(BenchError) as caught:
        session.window(3, 0.1)
    assert caught.value.what.startswith(said)
    assert "times" not in caught.value.what


def test_what_was_recorded_is_kept_before_it_is_judged(toy: Toy) -> None:
    kept: list[int] = []
    bundle = toy(target="toy", runners={"pyocd": {}}, caps=ON, inference_us=MICROSECONDS)
    meter = FakeMeter(SCENE, fault=lambda whole: replace(whole, amps=-whole.amps), since=2)
    with (
        create("pyocd", bundle, loader=fake_loader.device(bundle)) as runner,
        pytest.raises(BenchError, match="no energy flows"),
    ):
        measure_energy(
            bundle,
            runner,
            meter,
            timeouts=QUICK,
            host=meter.host,
            keep=lambda windows, idle: kept.extend([len(windows), len(idle)]),
        )
    assert kept == [5, 2]


def test_assumed_power_is_power_times_the_time_of_the_board(toy: Toy) -> None:
    found = measured(toy, AssumedPower(3.5))
    assert found.energy.joules == pytest.approx(3.5 * 0.75)
    assert (found.energy.kind, found.energy.net_joules) == ("assumed", None)
    assert [window.seconds for window in found.energy.windows] == [10.5] * 5


def test_a_board_that_restarts_is_timed_anew(toy: Toy) -> None:
    """While its time is taken, and after a window."""
    found = measured(toy, AssumedPower(3.5), restarts={"infer": 1, "x-out": 2})
    assert [window.seconds for window in found.energy.windows] == [10.5] * 5


def test_assumed_power_of_windows_that_are_too_short_is_refused(toy: Toy) -> None:
    with pytest.raises(BenchError, match="at least 10 s"):
        measured(toy, AssumedPower(3.5), inferences=2)


@pytest.mark.parametrize("source", [AssumedPower(3.5), FakeMeter(SCENE)], ids=["assumed", "meter"])
def test_an_emulator_has_no_energy(toy: Toy, source: Source) -> None:
    class Emulated:
        name, caps = "qemu_system", Caps(timing="instructions", kind="counted")

    with pytest.raises(UsageError, match="has no energy"):
        measure_energy(toy(), Emulated(), source)  # type: ignore[arg-type]

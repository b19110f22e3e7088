"""Inferences one by one: cold and warm, times of boards, counts of emulators."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from deployer.bundle import Bundle
from deployer.errors import BenchError, MismatchError, UsageError
from deployer_hil.exchange import Timeouts
from deployer_hil.runner import Caps, create
from deployer_hil.throughput import Load, Throughput, measure_throughput
from fakes import fake_loader

Toy = Callable[..., Bundle]
CLOCK = 1_000_000  # so that 6000 cycles take 6000 µs
BOARD = {"counter": "cycles", "caps": {"icache": "on", "dcache": "on"}, "inference_us": 6000}
EMULATED = Caps(timing="instructions", kind="counted")  # type: ignore[arg-type]
SIMULATED = Caps(timing="cycles", kind="simulated")  # type: ignore[arg-type]
HOSTED = Caps(timing="cycles", kind="measured", hosted=True)  # type: ignore[arg-type]
QUICK = Timeouts(silence=0.05)


def measured(
    toy: Toy,
    load: Load,
    *,
    worth: Caps | None = None,
    told: Mapping[str, str] | None = None,
    **config: Any,
) -> Throughput:
    """On a board of its own: the fake device behind a fake probe. ``worth``: what its figures are,
    ``told``: by the machine around it."""
    bundle = toy(target="toy", runners={"pyocd": {}}, **{**BOARD, **config})
    bundle.manifest["clock_hz"] = CLOCK
    with create("pyocd", bundle, loader=fake_loader.device(bundle)) as runner:
        runner.caps = worth or runner.caps  # type: ignore[misc]
        runner.surroundings = told or {}  # type: ignore[misc]
        return measure_throughput(bundle, runner, load, timeouts=QUICK)


def test_a_board_has_latencies_cold_and_warm_and_a_throughput(toy: Toy) -> None:
    found = measured(toy, Load(250, 2, cold_starts=2), cold=80, run_counts=[])
    assert (len(found.warm), len(found.cold)) == (250, 2)
    assert [run.count for run in found.cold] == [6080, 6080]
    assert found.latency is not None
    assert found.cold_latency is not None
    assert (found.latency.median, found.latency.jitter) == (0.006, 0)
    assert found.latency.p99 == 0.006
    assert found.cold_latency.maximum == pytest.approx(0.00608)
    assert found.fps == pytest.approx(1 / 0.006)
    assert found.window_seconds == pytest.approx(250 * 0.006)
    assert (found.kind, found.unit) == ("measured", "cycles")


def test_every_raw_time_is_kept(toy: Toy) -> None:
    found = measured(toy, Load(4, 0), run_counts=[6010, 5990, 6030, 5999, 6000])
    assert [run.count for run in (*found.cold, *found.warm)] == [6010, 5990, 6030, 5999, 6000]
    assert {run.microseconds for run in found.warm} == {6000}
    assert found.counts is not None
    assert (found.counts.minimum, found.counts.maximum, found.counts.jitter) == (5990, 6030, 40)


def test_instructions_of_an_emulator_are_no_times(toy: Toy) -> None:
    found = measured(toy, Load(3, 1), worth=EMULATED, counter="instructions", counter_per="0.5")
    assert (found.fps, found.latency, found.cold_latency) == (None, None, None)
    assert found.counts is not None
    assert (found.counts.median, found.kind, found.unit) == (12000, "counted", "instructions")


def test_simulated_cycles_give_simulated_times(toy: Toy) -> None:
    found = measured(toy, Load(3, 1), worth=SIMULATED)
    assert found.kind == "simulated"
    assert found.fps == pytest.approx(1 / 0.006)


def test_under_an_operating_system_time_passes_that_no_counter_sees(toy: Toy) -> None:
    found = measured(toy, Load(3, 1), worth=HOSTED, run_counts=[10], counter="nanoseconds")
    assert found.counts is None
    assert found.latency is not None
    assert found.latency.median == 0.006


def test_a_count_that_wrapped_is_refused(toy: Toy) -> None:
    with pytest.raises(BenchError, match="counts 1,000 cycles in 6,000 µs"):
        measured(toy, Load(2, 0), run_counts=[1000])


@pytest.mark.parametrize(
    ("config", "error", "said"),
    [
        ({"caps": {"dcache": "off"}}, BenchError, "does not run as"),
        ({"counter": "instructions"}, BenchError, "counts instructions, not cycles"),
        ({"wrong_output": True}, MismatchError, "golden outputs"),
        ({"constants": ["image", 4096, "00c0ffee", "00c0ffef"]}, BenchError, "weights"),
        ({"garble": {"x-runs": [9, r"m-x-run-\[1,", "m-x-run-[2,"]}}, BenchError, "bad reply"),
    ],
)
def test_what_would_mislead_is_refused(
    toy: Toy, config: dict[str, Any], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        measured(toy, Load(3, 0), **config)


def test_a_damaged_line_is_asked_for_again_and_a_restart_voids_the_batch(toy: Toy) -> None:
    garble = {"x-runs": [1, r"m-x-run-\[0,6000", "m-x-run-[0,6001"]}
    found = measured(toy, Load(5, 0), garble=garble, restarts={"x-runs": 1})
    assert {run.count for run in (*found.cold, *found.warm)} == {6000}


def test_a_chip_that_held_itself_back_has_no_times(toy: Toy) -> None:
    told = {"throttled_before": "0x0", "throttled_after": "0x4"}
    with pytest.raises(BenchError, match="times of toy would mislead: throttled after the run"):
        measured(toy, Load(2, 0), worth=HOSTED, told=told)


def test_a_runner_that_counts_nothing_is_refused(toy: Toy) -> None:
    with pytest.raises(UsageError, match="counts nothing of toy"):
        measured(toy, Load(1, 0), worth=replace(EMULATED, timing="none"))  # type: ignore[arg-type]

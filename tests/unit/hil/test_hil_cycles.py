"""Cycles of a board: cold and warm told apart, and nothing told of a board that runs otherwise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from deployer.bundle import Bundle
from deployer.errors import BenchError, MismatchError, UsageError
from deployer_hil.cycles import Cycles, measure_cycles
from deployer_hil.exchange import Timeouts
from deployer_hil.measure import prove
from deployer_hil.runner import Caps, create
from fakes import fake_loader

Toy = Callable[..., Bundle]
CLOCK = 1_000_000
ON = {"icache": "on", "dcache": "on"}
QUICK = Timeouts(silence=0.05)


def measured(toy: Toy, *, clock_hz: int = CLOCK, **config: Any) -> Cycles:
    """On a board of its own: the fake device behind a fake probe."""
    given = {"counter": "cycles", "caps": ON, **config}
    bundle = toy(target="toy", runners={"pyocd": {}}, **given)
    with create("pyocd", bundle, loader=fake_loader.device(bundle)) as runner:
        return measure_cycles(bundle, runner, clock_hz=clock_hz, timeouts=QUICK)


def test_the_first_run_is_cold_and_a_later_one_warm(toy: Toy) -> None:
    found = measured(toy, cold=70)
    assert found.cold == (1070, 2070, 3070)
    assert found.warm == (1000, 2000, 3000)
    assert found.caps["dcache"] == "on"


@pytest.mark.parametrize(
    ("caps", "said"),
    [
        ({"icache": "on", "dcache": "off"}, "dcache is off"),
        ({"icache": "off", "dcache": "on"}, "icache is off"),
        ({**ON, "clock_hz": "16000000"}, "the core runs at 16000000 Hz"),
    ],
)
def test_another_clock_or_a_cache_off_is_refused(toy: Toy, caps: dict[str, str], said: str) -> None:
    with pytest.raises(BenchError) as refused:
        measured(toy, caps=caps)
    assert any(said in why for why in refused.value.why)
    assert any("caches on, 1000000 Hz" in why for why in refused.value.why)


def test_a_flashed_board_is_held_to_the_same(toy: Toy) -> None:
    bundle = toy(target="toy", runners={"pyocd": {}}, counter="cycles", caps={"dcache": "off"})
    with (
        create("pyocd", bundle, loader=fake_loader.device(bundle)) as runner,
        pytest.raises(BenchError, match="does not run as"),
    ):
        prove(bundle, runner, timeouts=QUICK)


def test_wrong_integers_have_no_time(toy: Toy) -> None:
    with pytest.raises(MismatchError) as differs:
        measured(toy, wrong_step=1)
    assert "mirror" in differs.value.why[0]


def test_instructions_are_no_cycles(toy: Toy) -> None:
    with pytest.raises(BenchError, match="counts instructions"):
        measured(toy, counter="instructions")


def test_an_emulator_that_counts_says_so(toy: Toy) -> None:
    bundle = toy(target="toy", runners={"pyocd": {}}, counter_per="0.5", cold=70)
    with create("pyocd", bundle, loader=fake_loader.device(bundle)) as runner:
        runner.caps = Caps(timing="instructions", kind="counted")  # type: ignore[misc, arg-type]
        found = measure_cycles(bundle, runner, clock_hz=CLOCK, timeouts=QUICK)
    assert (found.kind, found.unit, found.cold[0]) == ("counted", "instructions", 2140)
    assert found.warm == (2000, 4000, 6000)


def test_a_runner_that_counts_nothing_is_refused(toy: Toy) -> None:
    class Silent:
        name, caps = "qemu_user", Caps()

    with pytest.raises(UsageError, match="qemu_user counts nothing of toy"):
        measure_cycles(toy(), Silent(), clock_hz=CLOCK)  # type: ignore[arg-type]

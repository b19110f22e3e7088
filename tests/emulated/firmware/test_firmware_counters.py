"""Under -icount the twins count instructions exactly; without it they say that they do not."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from deployer.board.load import load_board
from emulated.firmware.tiny_build import COUNTED, EMULATED, INPUT_BYTES, TARGETS, Device

MORE_INSTRUCTIONS = 2 * 100_000  # step 3 against step 2: that many turns more of two instructions


def instructions(device: Device) -> list[int]:
    """Rounded from counts, which must lie within a third of a whole number."""
    per = Fraction(device.pairs("x-caps")["counter_per"])
    exact = [count / per for _, count, _ in device.layers()]
    assert all(abs(value - round(value)) <= Fraction(1, 3) for value in exact)
    return [round(value) for value in exact]


@pytest.mark.parametrize("fresh", COUNTED, indirect=True)
def test_a_loop_of_known_length_is_counted_exactly(fresh: Device) -> None:
    fresh.reply()
    fresh.load(bytes(INPUT_BYTES))
    assert fresh.pairs("x-caps")["counter"] == "instructions"
    counts = instructions(fresh)
    assert counts[3] - counts[2] == MORE_INSTRUCTIONS


@pytest.mark.parametrize("name", COUNTED)
def test_counts_repeat_within_and_between_runs(start: Callable[[str], Device], name: str) -> None:
    seen = []
    for _ in range(2):
        device = start(name)
        device.reply()
        device.load(bytes(INPUT_BYTES))
        seen += [instructions(device), instructions(device)]
        device.close()
    assert seen == [seen[0]] * 4


@pytest.mark.parametrize("fresh", sorted(set(EMULATED) - set(COUNTED)), indirect=True)
def test_host_time_is_not_passed_off_as_instructions(fresh: Device) -> None:
    fresh.reply()
    assert fresh.pairs("x-caps")["counter"] in {"none", "nanoseconds"}


@pytest.mark.parametrize("fresh", ["gap8"], indirect=True)
def test_gap8_counts_cycles_of_the_boards_clock(fresh: Device) -> None:
    """A turn of the loop takes four: an addition and a branch that is taken."""
    fresh.reply()
    fresh.load(bytes(INPUT_BYTES))
    caps = fresh.pairs("x-caps")
    assert (caps["counter"], float(caps["counter_per"])) == ("cycles", 1)
    assert int(caps["clock_hz"]) == load_board("gap8").clock_hz
    fresh.layers()
    counts = [count for _, count, _ in fresh.layers()]
    assert counts[3] - counts[2] == pytest.approx(4 * MORE_INSTRUCTIONS / 2, abs=300)


@pytest.mark.parametrize("fresh", [*COUNTED, "gap8"], indirect=True)
def test_the_timed_window_follows_the_instructions(fresh: Device) -> None:
    """Step 2 and 3 are most of a run; ten runs take ten times the virtual time of one."""
    fresh.reply()
    fresh.load(bytes(INPUT_BYTES))
    windows = []
    for runs in (1, 10):
        stamps = [line for line in fresh.ask(f"infer {runs} 0") if line.startswith("m-lap-us-")]
        begin, end = (int(line.removeprefix("m-lap-us-")) for line in stamps)
        windows.append(end - begin)
    assert windows[1] == pytest.approx(10 * windows[0], rel=0.02)


@pytest.mark.parametrize("fresh", TARGETS, indirect=True)
def test_every_inference_is_timed_by_itself(fresh: Device) -> None:
    fresh.reply()
    fresh.load(bytes(range(INPUT_BYTES)))
    first = fresh.layers()
    runs = timed_runs(fresh, "x-runs 4 2")
    assert [index for index, _, _ in runs] == [0, 1, 2, 3]
    assert [crc for _, _, crc in fresh.layers()] == [crc for _, _, crc in first]
    assert fresh.ask("x-runs 0") == ["e-[usage: x-runs N [W]]"]


@pytest.mark.parametrize("fresh", COUNTED, indirect=True)
def test_inferences_take_the_same_instructions_and_their_steps_beside_little(fresh: Device) -> None:
    fresh.reply()
    fresh.load(bytes(INPUT_BYTES))
    per = Fraction(fresh.pairs("x-caps")["counter_per"])
    counts = [count / per for _, count, _ in timed_runs(fresh, "x-runs 3")]
    steps = sum(instructions(fresh))
    assert max(counts) - min(counts) <= 1 / per
    assert steps < counts[0] < steps + 2000


def timed_runs(device: Device, command: str) -> list[tuple[int, int, int]]:
    """Index, counts and microseconds of each inference."""
    rows = [line.removeprefix("m-x-run-[").removesuffix("]") for line in device.ask(command)]
    return [(int(a), int(b), int(c)) for a, b, c in (row.split(",") for row in rows)]

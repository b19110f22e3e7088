"""What misses add: each waited for, but for lines that were asked for ahead."""

from __future__ import annotations

from dataclasses import replace

import pytest

from deployer.board import Cache, OuterCache
from deployer.board.load import load_board
from deployer.errors import BenchError, UsageError
from deployer.tools.timing.costs import machine_for
from deployer.tools.timing.counts import Counts, OuterCounts, parse_counts
from deployer.tools.timing.machine import counting_runner, machine_of, with_code_at_hand
from deployer.tools.timing.memory_cost import memory_cycles
from unit.tools.timing.measured import MACHINE

OUTER = OuterCache(Cache(524288, 16, 64), miss=200, streamed=10, streamed_miss=40, source="a test")
BEHIND = replace(MACHINE, outer=OUTER)  # 7 cycles a misprediction, 12 a miss


def counts(data: int, fetch: int, outer: OuterCounts, wrong: int = 0) -> Counts:
    return Counts(0, 1000, 100, 10, wrong, data, fetch, (), outer=outer)


def test_without_a_second_cache_every_miss_costs_the_same() -> None:
    found = counts(30, 2, OuterCounts(), wrong=3)
    assert memory_cycles(found, MACHINE, core=500.0) == 3 * 7 + 30 * 12 + 2 * 12


def test_misses_of_the_second_cache_come_on_top() -> None:
    found = counts(30, 2, OuterCounts(missed=5), wrong=3)
    assert memory_cycles(found, BEHIND, core=500.0) == 3 * 7 + 30 * 12 + 2 * 12 + 5 * 200


@pytest.mark.parametrize(("core", "beyond"), [(5000.0, 0.0), (1400.0, 0.0), (900.0, 500.0)])
def test_lines_asked_for_ahead_cost_what_the_core_does_not_hide(core: float, beyond: float) -> None:
    """60 from the second cache and 20 from memory take 60 * 10 + 20 * 40 = 1400 cycles."""
    found = counts(100, 0, OuterCounts(missed=4, streamed=60, streamed_missed=20))
    assert memory_cycles(found, BEHIND, core) == 20 * 12 + 4 * 200 + beyond


LINES = ["R 0 6 3 2 0 7 1", "B 10 3 12 2 0", "O 4 2 1", "I 14 0 2"]


def test_the_plugin_s_line_of_a_second_cache_is_read() -> None:
    (found,) = parse_counts(LINES)
    assert found.outer == OuterCounts(missed=4, streamed=2, streamed_missed=1)
    assert [each.unaligned for each in found.loaded] == [2]
    (without,) = parse_counts(LINES[:2])
    assert without.outer == OuterCounts()
    with pytest.raises(BenchError, match="damaged"):
        parse_counts([*LINES[:2], "O 4 2"])


def test_the_machine_of_a_board_with_two_caches_tells_the_plugin_of_both() -> None:
    board = load_board("rpi3")
    machine = machine_of(board, board)
    assert board.timing is not None
    assert machine.outer == board.timing.outer
    assert (machine.runner, machine.pipeline.name) == ("qemu_user", "cortex-a53")
    assert (machine.tight, machine.tight_code) == ((0, 0), (0, 0))
    fields = machine.plugin_fields()
    assert (fields["dsize"], fields["dways"], fields["line"]) == (32768, 4, 64)
    assert (fields["osize"], fields["oways"], fields["granule"]) == (524288, 16, 8)
    assert (MACHINE.plugin_fields()["osize"], MACHINE.plugin_fields()["granule"]) == (0, 0)


def test_lines_are_credited_only_where_the_profiler_reads_prefetches() -> None:
    assert machine_for("nucleo-f767zi", None, None, credits_pld=True).credits_pld
    with pytest.raises(UsageError, match="--credit-pld on rpi3"):
        machine_for("rpi3", None, None, credits_pld=True)
    assert machine_for("rpi3", None, None, "loose").pipeline.rules == "loose"


def test_the_profiler_runs_where_a_board_s_images_do() -> None:
    names = ("nucleo-f767zi", "rpi3", "host")
    assert [counting_runner(load_board(name)) for name in names] == ["qemu_system", "qemu_user", ""]


def test_code_at_hand_is_a_cache_that_holds_the_code_of_every_board() -> None:
    own = with_code_at_hand(MACHINE)
    for name in ("nucleo-f767zi", "rpi3"):
        board = load_board(name)
        code = board.memory(board.place.weights)
        assert own.plugin_fields()["isize"] >= min(code.size, 2 << 20)
    assert replace(own, code=MACHINE.code) == MACHINE

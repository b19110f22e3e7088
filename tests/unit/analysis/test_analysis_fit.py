"""RAM and flash against the board, before any compiler runs."""

from __future__ import annotations

import dataclasses

import pytest

from deployer.allocate.allocate import allocate
from deployer.analysis.cost import graph_cost
from deployer.analysis.fit import FitReport, FitRow, check_fit, constant_reserve
from deployer.board.load import load_board
from deployer.board.model import Board, Place
from deployer.errors import FitError, UsageError
from deployer.ir.plan import MemoryPlan, Schedule
from deployer.schedule.order import schedule
from unit.ir.boards import board
from unit.ir.nets import Net, resnet8

RESERVED = {"dtcm": 5000}


def resnet_on(where: Board) -> tuple[Schedule, MemoryPlan]:
    steps = schedule(resnet8(), where.kernels)
    return steps, allocate(steps, where)


def test_every_memory_has_a_row_with_what_it_holds() -> None:
    where = board()
    report = check_fit(*resnet_on(where), where, reserved=RESERVED)
    cost = graph_cost(resnet8())
    flash = cost.bytes + 32 * 1024
    constants = f"weights {cost.weights:,}, requantization {cost.requant:,}"
    assert report == FitReport(
        (
            FitRow("flash", flash, 1 << 20, "estimated", f"{constants}, code 32,768 (estimated)"),
            FitRow("sram", 49_152, 1 << 16, "planned", "arena 49,152"),
            FitRow(
                "dtcm",
                5000,
                1 << 14,
                "estimated",
                "stack 2,048, static data 2,952 (estimated)",
            ),
        )
    )
    assert report.fits


def test_too_little_flash_names_total_limit_and_the_largest_weights() -> None:
    where = board(flash=100_000)
    with pytest.raises(FitError) as error:
        check_fit(*resnet_on(where), where, reserved=RESERVED)
    shown = str(error.value).splitlines()
    total = graph_cost(resnet8()).bytes + 32 * 1024
    assert shown[0] == "resnet8 does not fit 'flash' on desk"
    assert shown[1] == f"  needs {total:,} B of 100,000 B ({total - 100_000:,} too many)"
    assert "code 32,768 (estimated)" in shown[2]
    largest = "conv2d9 37,696  conv2d8 19,264  conv2d5 9,632  conv2d4 5,024"
    assert shown[3] == f"  largest weights: {largest}  11 more 11,881"
    assert "nucleo-f767zi" in shown[-1]
    assert error.value.exit_status == 4


def test_the_flash_limit_is_exact() -> None:
    steps, plan = resnet_on(board())
    total = graph_cost(resnet8()).bytes + 1000
    check_fit(steps, plan, board(flash=total), reserved=RESERVED, code_reserve=1000)
    with pytest.raises(FitError, match="flash"):
        check_fit(steps, plan, board(flash=total - 1), reserved=RESERVED, code_reserve=1000)


def test_ram_too_small_for_arena_and_reserve_together_is_refused() -> None:
    where = board(sram=50_000)
    steps, plan = resnet_on(where)
    check_fit(steps, plan, where, reserved={"sram": 848})
    with pytest.raises(FitError) as error:
        check_fit(steps, plan, where, reserved={"sram": 849})
    assert error.value.why[0] == "needs 50,001 B of 50,000 B (1 too many)"
    assert "arena 49,152" in error.value.why[1]


def test_two_memories_too_small_are_both_named() -> None:
    where = board(flash=1000)
    steps, plan = resnet_on(where)
    with pytest.raises(FitError) as error:
        check_fit(steps, plan, where, reserved={"dtcm": 20_000})
    assert "'flash' and 'dtcm'" in error.value.what


def test_weights_beside_the_arena_are_counted_with_it() -> None:
    place = Place("sram", "sram", "sram", "sram", ("sram",))
    where = dataclasses.replace(board(sram=512 << 10), place=place)
    report = check_fit(*resnet_on(where), where, reserved={"sram": 4096})
    used = {row.memory: row.used for row in report.rows}
    constants = constant_reserve(resnet8(), where)
    assert constants == {"sram": graph_cost(resnet8()).bytes + 32 * 1024}
    assert used == {"flash": 0, "sram": 49_152 + 4096 + constants["sram"], "dtcm": 0}


def test_a_plan_edited_into_an_unknown_memory_is_a_usage_error() -> None:
    where = board()
    steps, plan = resnet_on(where)
    edited = dataclasses.replace(plan, heights=(("srma", 49_152),))
    with pytest.raises(UsageError) as error:
        check_fit(steps, edited, where, reserved={})
    assert "srma" in error.value.what
    assert "sram, dtcm" in error.value.hints[0]


def test_the_shipped_board_takes_a_reference_network() -> None:
    where = load_board("nucleo-f767zi")
    assert check_fit(*resnet_on(where), where, reserved={"dtcm": 12_288}).fits


def test_a_network_without_weights_needs_only_code() -> None:
    net = Net("bare")
    steps = schedule(net.graph(net.transpose(net.input(1, 2, 2, 2), 0, 2, 1, 3)), ["ref"])
    where = board()
    flash = check_fit(steps, allocate(steps, where), where, reserved={}).rows[0]
    assert (flash.used, flash.holds) == (32_768, "code 32,768 (estimated)")

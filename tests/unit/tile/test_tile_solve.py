"""One tile a step, on a plan the board can hold."""

from __future__ import annotations

import dataclasses

import pytest

from deployer.allocate.allocate import allocate
from deployer.errors import FitError, UsageError
from deployer.schedule.order import schedule
from deployer.tile.solve import tile
from unit.ir.boards import board
from unit.ir.nets import resnet8

STEPS = schedule(resnet8(), ["ref"])
PLAN = allocate(STEPS, board())


def test_every_step_is_one_tile_of_its_whole_output() -> None:
    tiles = tile(STEPS, PLAN, board()).steps
    assert [t.node for t in tiles] == [step.node for step in STEPS.steps]
    assert {t.count for t in tiles} == {1}
    assert tiles[0].tile == (1, 32, 32, 16)


def test_a_plan_without_a_place_for_an_output_is_refused() -> None:
    cut = tuple(p for p in PLAN.placements if p.buffer.id != "add3_out")
    with pytest.raises(UsageError, match="add3_out, written by add3"):
        tile(STEPS, dataclasses.replace(PLAN, placements=cut), board())


def test_a_plan_that_outgrew_its_memory_is_refused() -> None:
    with pytest.raises(FitError, match="sram"):
        tile(STEPS, PLAN, board(sram=49_151))


def test_a_plan_in_a_memory_that_is_not_for_arenas_is_refused() -> None:
    with pytest.raises(UsageError, match="sram"):
        tile(STEPS, PLAN, board(arena=("dtcm",)))

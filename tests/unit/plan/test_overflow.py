"""What a plan leaves to code that turned out larger than estimated."""

from __future__ import annotations

import pytest

from deployer.board.load import load_board
from deployer.errors import ImageTooLarge
from deployer.plan.code_size import with_more_code
from deployer.plan.request import PlanRequest

EXCESS = ImageTooLarge("l2", 5904, board="gap8")


GAP8 = PlanRequest(load_board("gap8"), load_board("gap8"))


def test_each_time_more_is_left_to_code_than_was_missing() -> None:
    first = with_more_code(GAP8, EXCESS)
    again = with_more_code(first, EXCESS)
    assert first.code_excess >= EXCESS.excess
    assert again.code_excess - first.code_excess > first.code_excess


def test_no_plan_is_made_again_where_another_memory_is_too_small() -> None:
    error = ImageTooLarge("l1", 5904, board="gap8")
    with pytest.raises(ImageTooLarge) as caught:
        with_more_code(GAP8, error)
    assert caught.value is error


def test_a_board_without_a_memory_behind_the_arenas_fetches_nothing() -> None:
    nucleo = load_board("nucleo-f767zi")
    with pytest.raises(ImageTooLarge):
        with_more_code(PlanRequest(nucleo, nucleo), ImageTooLarge("dtcm", 1, board="nucleo"))

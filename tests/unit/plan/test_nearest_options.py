"""Options that bring a network closest to fitting: how they are told, and which are taken."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest

from deployer.board.load import load_board
from deployer.plan.nearest import Nearest, activations_short, lacking, nearest, text_of
from deployer.plan.request import Limits, PlanRequest

module = import_module("deployer.plan.nearest")

BOARD = load_board("nucleo-f767zi")
PLAIN = Limits(restructure="off", optimize="time", stream_input=False)


def verdict(refused: bool = True, **excess: int) -> Any:
    """Memories and their bytes too many."""
    rows = [SimpleNamespace(memory=name, excess=count) for name, count in excess.items()]
    return SimpleNamespace(
        report=SimpleNamespace(rows=rows), refusal="refused" if refused else None
    )


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({}, ""),
        ({"restructure": "auto"}, "--restructure auto"),
        ({"optimize": "ram"}, "--optimize ram"),
        ({"stream_input": True}, "--stream-input"),
        ({"restructure": "auto", "stream_input": True}, "--restructure auto --stream-input"),
    ],
)
def test_only_what_differs_is_told(changes: dict[str, Any], text: str) -> None:
    assert text_of(replace(PLAIN, **changes), PLAIN) == text


def test_a_limit_that_is_taken_away_is_told() -> None:
    given = replace(PLAIN, ram=1024)
    assert text_of(replace(given, ram=None), given) == "without --ram"


def test_bytes_of_all_memories_are_added_and_room_is_no_credit() -> None:
    assert lacking(verdict(flash=5, sram=7, other=-100)) == 12
    assert lacking(verdict()) == 0


@pytest.mark.parametrize(
    ("found", "short"),
    [
        (verdict(sram=1), True),
        (verdict(flash=1), False),  # only weights and code
        (verdict(flash=1, sram=0), False),
        (verdict(flash=1, sram=-9), False),
        (verdict(flash=1, sram=1), True),
        (verdict(sram=0, flash=0), True),  # the arena finds no places
        (verdict(refused=False, sram=1), False),
    ],
)
def test_it_is_the_activations_unless_only_weights_are_too_many(found: Any, short: bool) -> None:
    assert BOARD.place.weights == "flash"
    assert activations_short(found, BOARD) is short


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> Any:
    """tried(verdicts by (goal, by rows), asked): what is nearest, and what was planned."""

    def call(
        verdicts: dict[tuple[str, bool], Any], asked: Any, limits: Limits = PLAIN, net: Any = None
    ) -> Any:
        planned: list[tuple[str, bool]] = []

        def plan(plain: Any, request: PlanRequest, given: Limits) -> Nearest:
            key = request.limits.optimize, request.limits.stream_input
            planned.append(key)
            text = text_of(request.limits, given)
            return Nearest(text, None, verdicts[key])  # type: ignore[arg-type]

        monkeypatch.setattr(module, "_planned", plan)
        monkeypatch.setattr(module, "_no_room", lambda graph, board: False)
        monkeypatch.setattr(module, "no_arena", lambda graph, board: graph == "gives too much")
        monkeypatch.setattr(module, "hopeless", lambda graph, board: graph == "weighs too much")
        return nearest(net, asked, PlanRequest(BOARD, BOARD, limits)), planned

    return call


FITS, ASKED = verdict(refused=False), verdict(sram=100)
TIME, RAM, ROWS, RAM_ROWS = ("time", False), ("ram", False), ("time", True), ("ram", True)


def test_the_first_way_that_fits_is_taken(tried: Any) -> None:
    found, planned = tried({TIME: verdict(sram=50), RAM: FITS}, ASKED)
    assert (found.options, planned) == ("--restructure auto --optimize ram", [TIME, RAM])


def test_by_rows_the_way_of_less_work_is_taken_where_that_fits(tried: Any) -> None:
    short = {TIME: verdict(sram=90), RAM: verdict(sram=80), RAM_ROWS: FITS}
    found, planned = tried({**short, ROWS: FITS}, ASKED)
    assert found.options == "--restructure auto --stream-input"
    assert planned == [TIME, RAM, RAM_ROWS, ROWS]
    found, _ = tried({**short, ROWS: verdict(sram=1)}, ASKED)
    assert found.options == "--restructure auto --optimize ram --stream-input"


def test_where_none_fits_the_one_that_lacks_least_is_told(tried: Any) -> None:
    ways = {TIME: verdict(sram=60), RAM: verdict(sram=40), RAM_ROWS: verdict(sram=40)}
    found, _ = tried(ways, ASKED)
    assert found.options == "--restructure auto --optimize ram"
    same = dict.fromkeys(ways, verdict(sram=100))
    assert tried(same, ASKED)[0] is None


def test_what_lacks_no_activations_is_not_planned_again(tried: Any) -> None:
    assert tried({}, verdict(flash=100)) == (None, [])
    assert tried({}, verdict(refused=False)) == (None, [])


def test_no_way_is_planned_for_outputs_that_no_memory_holds(tried: Any) -> None:
    assert tried({TIME: FITS}, ASKED, net="gives too much") == (None, [])


def test_none_is_planned_by_rows_where_weights_alone_are_too_many(tried: Any) -> None:
    ways = {TIME: verdict(flash=9, sram=60), RAM: verdict(flash=9, sram=40)}
    found, planned = tried(ways, verdict(flash=9, sram=100), net="weighs too much")
    assert (found.options, planned) == ("--restructure auto --optimize ram", [TIME, RAM])


def test_the_options_that_were_asked_for_are_no_way(tried: Any) -> None:
    given = replace(PLAIN, restructure="auto", optimize="time")
    _, planned = tried({RAM: FITS}, ASKED, given)
    assert planned == [RAM]

"""Networks of one library that fit a board one by one, and not together."""

from __future__ import annotations

from dataclasses import replace

import pytest

from deployer.allocate.allocate import allocate
from deployer.board.load import load_board
from deployer.codegen.library import Planned, library_view
from deployer.pipeline.library import require_library, room_notes
from deployer.schedule.order import schedule
from unit.codegen.test_network import small_network


@pytest.mark.parametrize(
    ("arena", "size", "notes"),
    [
        ("own", 480, []),
        ("own", 479, ["the arenas take 480 B of ram, which has 479 B; --arena shared takes 240 B"]),
        ("shared", 479, []),
        ("caller", 479, []),
    ],
)
def test_arenas_that_are_too_much_together_are_said(
    arena: str, size: int, notes: list[str]
) -> None:
    board = load_board("host")
    order = schedule(small_network(), board.kernels)
    planned = Planned("a", "a_", order, allocate(order, board), (), "host", 0)
    lib = replace(library_view(planned, arena, version="0"), weight_bytes=200)
    ram = replace(board.memory("ram"), size=size)
    found = list(room_notes([lib, lib], replace(board, memories=(ram,))))
    assert found == [f"WARNING: {note}" for note in notes]
    found = list(room_notes([replace(lib, weight_bytes=300)] * 2, replace(board, memories=(ram,))))
    assert found[len(notes) :] == [f"WARNING: the weights take 600 B of ram, which has {size} B"]


@pytest.mark.parametrize("board", ["host", "rpi3", "nucleo-f767zi"])
def test_boards_of_one_core_have_libraries(board: str) -> None:
    require_library(load_board(board))

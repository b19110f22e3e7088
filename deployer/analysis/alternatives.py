"""Boards that would have room, for hints."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from deployer.board import Board, board_names, load_board
from deployer.errors import DeployerError


def boards_with_room(needed: int, room: Callable[[Board], int], *, but: str) -> tuple[str, ...]:
    """Shipped boards, other than ``but``, with at least ``needed`` bytes of ``room``."""
    found = []
    with contextlib.suppress(DeployerError):  # a hint: a broken board file is not the point here
        for board in map(load_board, board_names()):
            if room(board) >= needed and board.name != but:
                found.append(board.name)
    return tuple(found)


def arena_room(board: Board) -> int:
    """Bytes of all memories an arena may lie in."""
    return sum(board.memory(name).size for name in board.place.arena)


def weight_room(board: Board) -> int:
    """Bytes of the memory that holds the weights."""
    return board.memory(board.place.weights).size

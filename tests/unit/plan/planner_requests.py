"""Requests for boards whose memories have any size."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from deployer.board.load import load_board
from deployer.board.model import Board
from deployer.plan.request import Limits, PlanRequest


def sized(name: str, **sizes: int) -> Board:
    """The shipped board ``name`` with other sizes of memories, in bytes."""
    board = load_board(name)
    memories = (replace(m, size=sizes.get(m.name, m.size)) for m in board.memories)
    return replace(board, memories=tuple(memories))


def request_for(name: str, sizes: dict[str, int] | None = None, **limits: Any) -> PlanRequest:
    """What the planner is asked of a board without a twin."""
    board = sized(name, **(sizes or {}))
    return PlanRequest(board, board, Limits(**limits))

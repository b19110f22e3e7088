"""Requests for boards whose memories have any size."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from deployer.board.load import load_board
from deployer.board.model import Board
from deployer.ir.graph import Graph
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


def with_drawn_weights(graph: Graph, seed: int) -> Graph:
    """``graph`` with other weights of int8 and shifts of 10."""
    rng = np.random.default_rng(seed)
    drawn = {
        name: rng.integers(-99, 100, array.shape).astype(np.int8) if array.dtype == np.int8 else
        np.full_like(array, 10) if name.endswith("_shift") else array
        for name, array in graph.constants.items()
    }  # fmt: skip
    return replace(graph, constants=drawn)

"""The least memory for the arena in which a network finds a plan."""

from __future__ import annotations

from dataclasses import replace

from deployer.board import Board
from deployer.errors import FitError, UsageError
from deployer.ir import Graph
from deployer.plan.prefetch import scheduled
from deployer.plan.regions import restructured
from deployer.plan.request import PlanRequest
from deployer.plan.verdict import judge

STEP_BYTES = 8 << 10  # plans come and go with less
MAX_TIMES = 8  # what the board has


def smallest_arena(plain: Graph, request: PlanRequest) -> int | None:
    """Bytes of the arena's first memory, in whole STEPs, with which the integer network ``plain``
    is planned, while the next lower size tried is not: every other memory as the board has it. None
    where MAX_TIMES times the board's do not do. Code is an estimate until it is compiled. Raises
    UsageError for boards whose arenas may lie in several memories."""
    if len(request.board.place.arena) > 1:
        raise UsageError(
            f"the arena of {request.board.name} may lie in {', '.join(request.board.place.arena)}",
            why=["no one of them has a smallest size"],
            hints=["without --smallest the arena's own bytes are told"],
        )
    size = request.board.memory(request.board.place.arena[0]).size // STEP_BYTES
    high = next((n for n in _doubled(size) if _works(plain, request, n * STEP_BYTES)), None)
    if high is None:
        return None
    low = high // 2 if high > size else 0
    while high - low > 1:
        middle = (low + high) // 2
        if _works(plain, request, middle * STEP_BYTES):
            high = middle
        else:
            low = middle
    return high * STEP_BYTES


def _doubled(size: int) -> list[int]:
    return [size * 2**power for power in range(MAX_TIMES.bit_length())]


def _works(plain: Graph, request: PlanRequest, size: int) -> bool:
    there = replace(request, board=_with(request.board, size), target=_with(request.target, size))
    try:
        found = scheduled(restructured(plain, there), there)
    except FitError:
        return False
    return judge(found, there.board).refusal is None


def _with(board: Board, size: int) -> Board:
    name = board.place.arena[0]
    memories = (replace(m, size=size) if m.name == name else m for m in board.memories)
    return replace(board, memories=tuple(memories))

"""The least memory for the arena in which a network finds a plan."""

from __future__ import annotations

from dataclasses import replace

from deployer.board.model import Board
from deployer.errors import FitError, UsageError
from deployer.ir.graph import Graph
from deployer.pipeline.options import Job
from deployer.pipeline.restructured import restructured
from deployer.pipeline.streamed import scheduled_to_fit
from deployer.pipeline.verdict import judge

STEP = 8 << 10  # bytes; plans come and go with less
LARGEST = 8  # times what the board has


def smallest_arena(job: Job, plain: Graph) -> int | None:
    """Bytes of the arena's first memory, in whole STEPs, with which the integer network ``plain``
    is planned, while the next lower size tried is not: every other memory as the board has it. None
    where LARGEST times the board's do not do. Code is an estimate until it is compiled. Raises
    UsageError for boards whose arenas may lie in several memories."""
    if len(job.board.place.arena) > 1:
        raise UsageError(
            f"the arena of {job.board.name} may lie in {', '.join(job.board.place.arena)}",
            why=["no one of them has a smallest size"],
            hints=["without --smallest the arena's own bytes are told"],
        )
    size = job.board.memory(job.board.place.arena[0]).size // STEP
    high = next((n for n in _doubled(size) if _works(job, plain, n * STEP)), None)
    if high is None:
        return None
    low = high // 2 if high > size else 0
    while high - low > 1:
        middle = (low + high) // 2
        if _works(job, plain, middle * STEP):
            high = middle
        else:
            low = middle
    return high * STEP


def _doubled(size: int) -> list[int]:
    return [size * 2**power for power in range(LARGEST.bit_length())]


def _works(job: Job, plain: Graph, size: int) -> bool:
    there = replace(job, board=_with(job.board, size), target=_with(job.target, size))
    try:
        found = scheduled_to_fit(there, restructured(there, plain))
    except FitError:
        return False
    return judge(found, there.board).refusal is None


def _with(board: Board, size: int) -> Board:
    name = board.place.arena[0]
    memories = (replace(m, size=size) if m.name == name else m for m in board.memories)
    return replace(board, memories=tuple(memories))

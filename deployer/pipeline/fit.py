"""What the harness needs beside the arena, and whether all of it fits the board."""

from __future__ import annotations

from collections import Counter

from deployer.allocate.heuristics.bag import bag
from deployer.allocate.instance import instance_of
from deployer.allocate.problem import Problem
from deployer.analysis.fit import FitReport, check_fit, constant_reserve, fit_report
from deployer.analysis.liveness import lifetimes
from deployer.board.model import Board
from deployer.ir.graph import Graph
from deployer.ir.plan import MemoryPlan, Schedule

STATIC_RESERVE = 4096  # estimated: console ring, harness state, libc data


def harness_reserve(graph: Graph, board: Board) -> dict[str, int]:
    """Bytes per memory taken before the arena: stack, harness data and its copy of the inputs."""
    copy = sum(graph.values[name].bytes for name in graph.inputs)
    reserve: dict[str, int] = {}
    for memory, size in (
        (board.place.stack, board.stack_bytes),
        (board.place.data, STATIC_RESERVE + copy),
    ):
        reserve[memory] = reserve.get(memory, 0) + size
    return reserve


def taken(graph: Graph, board: Board) -> dict[str, int]:
    """Bytes per memory an arena there cannot have: the harness, and code and weights where they
    share its memory."""
    return dict(Counter(harness_reserve(graph, board)) + Counter(constant_reserve(graph, board)))


def require_fit(schedule: Schedule, plan: MemoryPlan, board: Board) -> FitReport:
    """The fit of everything, before any compiler runs. Raises FitError when it does not fit."""
    return check_fit(schedule, plan, board, reserved=harness_reserve(schedule.graph, board))


def arena_bytes(graph: Graph) -> int:
    """An arena that holds the activations of ``graph`` in one memory, found fast; the allocator's
    own may be smaller."""
    buffers = lifetimes(graph)
    problem = Problem(buffers, (("arena", sum(buffer.size for buffer in buffers)),))
    return bag(instance_of(problem)).height


def survey_fit(schedule: Schedule, plan: MemoryPlan, board: Board) -> FitReport:
    """As ``require_fit``, for a plan that may be too large."""
    return fit_report(schedule, plan, board, reserved=harness_reserve(schedule.graph, board))

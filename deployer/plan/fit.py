"""What the harness needs beside the arena, and whether all of it fits the board."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

from deployer.allocate import Problem, bag, fits, instance_of, problem_of, solve
from deployer.analysis import FitReport, check_fit, constant_reserve, fit_report, lifetimes
from deployer.board import Board
from deployer.ir import Graph, MemoryPlan, Schedule
from deployer.tile import outer_of

STATIC_RESERVE_BYTES = 4096  # estimated: console ring, harness state, libc data


def input_bytes(graph: Graph) -> int:
    """Bytes of the harness's copy of the inputs, from which every run starts."""
    return sum(graph.values[name].bytes for name in graph.inputs)


def harness_reserve(board: Board) -> dict[str, int]:
    """Bytes per memory taken before anything else: stack and harness data."""
    return dict(
        Counter({board.place.stack: board.stack_bytes})
        + Counter({board.place.data: STATIC_RESERVE_BYTES})
    )


def copy_memories(graph: Graph, board: Board) -> tuple[str, ...]:
    """Memories the copy of the inputs may lie in: the one behind the arena's, where there is one
    and no step takes rows from the copy; else those that wait most first, since no inference reads
    it, then that of the data.

    Those of a hierarchy's inner levels belong to tiles. Where none has room the data's remains.
    """
    outer = outer_of(board)
    if outer and not any(region.fetch for region in graph.regions):
        return (outer[0].name,)
    data = board.memory(board.place.data)
    flat = [m for m in board.memories if "w" in m.access and m.level == data.level]
    order = sorted(flat, key=lambda m: (-(m.wait.cycles_per_byte if m.wait else 0), m != data))
    return tuple(m.name for m in order if _has_room(graph, board, m.name)) or (data.name,)


def _has_room(graph: Graph, board: Board, memory: str) -> bool:
    return taken(graph, board, memory)[memory] <= board.memory(memory).size


def taken(graph: Graph, board: Board, copy_in: str) -> dict[str, int]:
    """Bytes per memory an arena there cannot have: the harness, its copy of the inputs in memory
    ``copy_in``, and code and weights where they share its memory."""
    copy = {copy_in: input_bytes(graph)}
    parts = (harness_reserve(board), copy, constant_reserve(graph, board))
    return dict(sum(map(Counter, parts), Counter()))


def arena_problems(schedule: Schedule, board: Board) -> tuple[Problem, ...]:
    """The arena beside everything else, for each memory the copy of the inputs may lie in."""
    graph = schedule.graph
    return tuple(
        problem_of(schedule, board, reserved=taken(graph, board, name))
        for name in copy_memories(graph, board)
    )


def arena_problem(schedule: Schedule, board: Board) -> Problem:
    """The first that has a plan that fits; if none has, the last of those with most room, so that
    what is missing is missing in the arena's first memory."""
    problems = arena_problems(schedule, board)
    found = next((one for one in problems if arena_fits(one)), None)
    return found or max(reversed(problems), key=lambda one: sum(room for _, room in one.capacities))


def arena_fits(problem: Problem) -> bool:
    """By the fast plan if that is enough, else by the allocator."""
    if problem.bound > sum(room for _, room in problem.capacities):
        return False
    fast = bag(instance_of(problem)).height
    return fast <= problem.capacities[0][1] or fits(solve(replace(problem, costs=())), problem)


def some_arena_fits(schedule: Schedule, board: Board) -> bool:
    """Beside the copy of the inputs in one memory or another."""
    return any(map(arena_fits, arena_problems(schedule, board)))


def copy_memory(graph: Graph, heights: Iterable[tuple[str, int]], board: Board) -> str:
    """Where the copy of the inputs lies beside arenas of ``heights``: the first memory with room,
    else the one that lacks least."""
    arena = Counter(dict(heights))
    room: dict[str, int] = {}
    for name in copy_memories(graph, board):
        used = taken(graph, board, name)[name] + arena[name]
        room[name] = board.memory(name).size - used
    return next((name for name, left in room.items() if left >= 0), max(room, key=room.__getitem__))


def require_fit(schedule: Schedule, plan: MemoryPlan, board: Board) -> FitReport:
    """The fit of everything, before any compiler runs. Raises FitError when it does not fit."""
    copy = input_copy(schedule.graph, plan, board)
    return check_fit(schedule, plan, board, reserved=harness_reserve(board), input_copy=copy)


def survey_fit(schedule: Schedule, plan: MemoryPlan, board: Board) -> FitReport:
    """As ``require_fit``, for a plan that may be too large."""
    copy = input_copy(schedule.graph, plan, board)
    return fit_report(schedule, plan, board, reserved=harness_reserve(board), input_copy=copy)


def input_copy(graph: Graph, plan: MemoryPlan, board: Board) -> Mapping[str, int]:
    """The copy's memory and bytes."""
    return {copy_memory(graph, plan.heights, board): input_bytes(graph)}


def arena_bytes(graph: Graph) -> int:
    """An arena that holds the activations of ``graph`` in one memory, found fast; the allocator's
    own may be smaller."""
    buffers = lifetimes(graph)
    problem = Problem(buffers, (("arena", sum(buffer.size for buffer in buffers)),))
    return bag(instance_of(problem)).height

"""The message for a network whose arena does not fit."""

from __future__ import annotations

from collections.abc import Iterator

from deployer.allocate.conflict import smallest_conflict
from deployer.allocate.problem import Problem
from deployer.analysis import arena_room, boards_with_room, held, scratch_id
from deployer.board import Board
from deployer.errors import FitError
from deployer.ir import MemoryPlan, PlanStatus, Schedule
from deployer.units import format_bytes

_MAX_SHOWN = 6  # tensors named; the rest is summed up


def does_not_fit(schedule: Schedule, board: Board, problem: Problem, best: MemoryPlan) -> FitError:
    """FitError with the peak step and what is alive there; ``best`` is the lowest known plan."""
    return FitError(
        f"{schedule.graph.name} does not fit {_names(problem)} on {board.name}",
        why=[
            *_need(schedule, problem, best),
            f"alive together: {alive_text(schedule, problem)}",
            *_rooms(board, problem),
            *_smallest(problem),
        ],
        hints=list(_hints(board, problem)),
    )


def _need(schedule: Schedule, problem: Problem, best: MemoryPlan) -> Iterator[str]:
    """How much is missing; the tensors alone, or the gaps between them."""
    room = sum(capacity for _, capacity in problem.capacities)
    if problem.bound > room:
        yield f"{_missing(problem.bound, room)} {peak_step(schedule, problem)}"
        return
    proven = "proven" if best.status == PlanStatus.OPTIMAL else "the best known"
    if best.arena > room:
        yield f"{_missing(best.arena, room)}, {proven}"
        yield f"most is alive {peak_step(schedule, problem)}"
    else:
        yield f"needs {format_bytes(best.arena)} in one piece; no way was found to divide it"
        yield f"most is alive {peak_step(schedule, problem)}"


def _smallest(problem: Problem) -> Iterator[str]:
    """The fewest buffers that are too many, where that is not all that is alive."""
    conflict = smallest_conflict(problem, sum(room for _, room in problem.capacities))
    if 0 < len(conflict) < len(problem.peak.alive):
        yield f"too many already: {'  '.join(f'{b.id} {b.size:,}' for b in conflict)}"


def _rooms(board: Board, problem: Problem) -> Iterator[str]:
    """What the arena may use of each memory, where others take a part or there are several."""
    sizes = [(room, board.memory(name).size) for name, room in problem.capacities]
    if len(sizes) > 1 or any(room < size for room, size in sizes):
        yield free_rooms(board, problem)


def free_rooms(board: Board, problem: Problem) -> str:
    """What is left of each memory, or by how much others take too much of it."""
    rooms = ((name, room, board.memory(name).size) for name, room in problem.capacities)
    return f"free for the arena: {'  '.join(_free(*each) for each in rooms)}"


def _free(name: str, room: int, size: int) -> str:
    if room >= 0:
        return f"{name} {room:,} of {size:,}"
    return f"{name} 0 of {size:,}, where others take {-room:,} too many"


def _missing(needed: int, room: int) -> str:
    free = format_bytes(max(room, 0))
    return f"needs {format_bytes(needed)} of {free} ({needed - room:,} too many)"


def peak_step(schedule: Schedule, problem: Problem) -> str:
    """The step at which most is alive, counted from 1, and its layer."""
    step, count = problem.peak.step, len(schedule.steps)
    name = schedule.steps[step].node if step < count else "the input"
    return f"at step {step + 1} of {max(count, 1)}, {name}"


def _names(problem: Problem) -> str:
    return " and ".join(f"'{name}'" for name in problem.memories)


def alive_text(schedule: Schedule, problem: Problem) -> str:
    """Sizes of the tensors at the peak, those that share bytes together, largest first, scratch
    last."""
    scratch = {scratch_id(step.node) for step in schedule.steps if step.scratch}
    tensors = [b for b in problem.peak.alive if b.id not in scratch]
    names = held(schedule.graph, problem.peak.step)
    parts = [f"{names.get(b.id, b.id)} {b.size:,}" for b in tensors[:_MAX_SHOWN]]
    if rest := tensors[_MAX_SHOWN:]:
        parts.append(f"{len(rest)} more {sum(b.size for b in rest):,}")
    parts += [f"scratch {b.size:,}" for b in problem.peak.alive if b.id in scratch]
    return "  ".join(parts)


def _hints(board: Board, problem: Problem) -> Iterator[str]:
    yield "a smaller input or fewer channels: these tensors shrink with both"
    flat = [m.name for m in board.memories if "w" in m.access and m.level == 0]
    unused = [name for name in flat if name not in board.place.arena]
    if unused:
        yield f"give 'arena' a second memory in the board file: {', '.join(unused)}"
    if larger := boards_with_room(problem.bound, arena_room, but=board.name):
        yield f"a board with more RAM: {', '.join(larger)}"

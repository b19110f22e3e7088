"""Place every buffer of a schedule in the board's arena memories, or say why it does not fit."""

from __future__ import annotations

from collections.abc import Mapping

from deployer.allocate.instance import instance_of
from deployer.allocate.portfolio import NO_EFFORT, Effort, solve_instance
from deployer.allocate.problem import ALIGNMENT, Problem, heights_of, problem_of
from deployer.allocate.refusal import does_not_fit
from deployer.allocate.solvers import Solver
from deployer.allocate.split_exact import best_split
from deployer.allocate.validate import violations
from deployer.board.model import Board
from deployer.ir.plan import MemoryPlan, Placement, Schedule
from deployer.ir.verify import InvariantError


def allocate(
    schedule: Schedule,
    board: Board,
    *,
    reserved: Mapping[str, int] | None = None,
    alignment: int = ALIGNMENT,
    effort: Effort | None = None,
) -> MemoryPlan:
    """A checked plan for ``schedule``: the first arena memory alone if it can, else all of them.

    ``reserved`` bytes per memory belong to stack, data and the like. Raises FitError naming the
    peak step and the tensors alive there.
    """
    problem = problem_of(schedule, board, reserved=reserved, alignment=alignment)
    return plan_of(problem, schedule, board, effort)


def plan_of(
    problem: Problem, schedule: Schedule, board: Board, effort: Effort | None = None
) -> MemoryPlan:
    """The checked plan of ``problem``, the arena of ``schedule``. Raises FitError as above."""
    plan = solve(problem, effort)
    if not fits(plan, problem):
        raise does_not_fit(schedule, board, problem, plan)
    if found := check(plan, problem):
        raise InvariantError("; ".join(found))
    return plan


def solve(problem: Problem, effort: Effort | None = None) -> MemoryPlan:
    """The lowest plan in the first memory, or over several when that one is too small or too dear.

    When nothing fits, the plan is the lowest known one and stands above the first memory's
    capacity (see ``fits``).
    """
    effort = effort or Effort()
    first = problem.capacities[0][1]
    hopeless = problem.bound > first
    single = one_memory_plan(problem, solve_instance, NO_EFFORT if hopeless else effort)
    cheapest = all(row[0] == min(row) for row in problem.costs)
    if len(problem.capacities) == 1 or (cheapest and fits(single, problem)):
        return single
    several = _several_memories(problem, effort)
    if several is None:
        return single
    if not fits(single, problem):
        return several
    return min(single, several, key=problem.cost)


def fits(plan: MemoryPlan, problem: Problem) -> bool:
    """Whether every height is within its memory."""
    rooms = dict(problem.capacities)
    return all(height <= rooms[memory] for memory, height in plan.heights)


def check(plan: MemoryPlan, problem: Problem) -> tuple[str, ...]:
    """What the independent validator has against ``plan`` as an answer to ``problem``."""
    return violations(
        plan,
        buffers=problem.buffers,
        capacities=dict(problem.capacities),
        alignment=problem.alignment,
    )


def one_memory_plan(problem: Problem, solver: Solver, effort: Effort) -> MemoryPlan:
    """What ``solver`` makes of ``problem`` in its first memory, whether it fits or not."""
    found = solver(instance_of(problem), effort)
    memories = (problem.memories[0],) * len(problem.buffers)
    places = problem.placements(found.packing.offsets, memories)
    return _plan(problem, places, found.bound, found.solver)


def _several_memories(problem: Problem, effort: Effort) -> MemoryPlan | None:
    rooms = [capacity for _, capacity in problem.capacities]
    if problem.bound > sum(rooms):
        return None
    instance = instance_of(problem)
    limit = effort.work.for_pairs(len(instance.conflicts())).minimise
    split = best_split(instance, rooms, limit, problem.costs)
    if split is None:
        return None
    memories = tuple(problem.memories[k] for k in split.memories)
    placements = problem.placements(split.offsets, memories)
    return _plan(problem, placements, problem.bound, split.solver)


def _plan(
    problem: Problem, placements: tuple[Placement, ...], bound: int, solver: str
) -> MemoryPlan:
    heights = heights_of(placements, problem.memories, problem.alignment)
    total = sum(height for _, height in heights)
    return MemoryPlan(
        placements, heights, bound, "optimal" if total == bound else "feasible", solver
    )

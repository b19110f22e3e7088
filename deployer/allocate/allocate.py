"""Place every buffer of a schedule in the board's arena memories, or say why it does not fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from deployer.allocate.exact import Work
from deployer.allocate.instance import instance_of
from deployer.allocate.portfolio import NO_EFFORT, Effort, solve_instance
from deployer.allocate.problem import Problem, heights_of, problem_of
from deployer.allocate.refusal import does_not_fit
from deployer.allocate.solvers import Solver
from deployer.allocate.split import Split
from deployer.allocate.split_exact import best_split
from deployer.allocate.validate import violations
from deployer.board import Board
from deployer.ir import InvariantError, MemoryPlan, Placement, PlanStatus, Schedule, Waits


def allocate(
    schedule: Schedule,
    board: Board,
    *,
    reserved: Mapping[str, int] | None = None,
    alignment: int = 0,
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
    """The lowest plan in the first memory, or over several when that one is too small; with costs,
    of the plans that take no more bytes the one that costs least.

    When nothing fits, the plan is the lowest known one and stands above the first memory's
    capacity (see ``fits``).
    """
    effort = effort or Effort()
    lowest = _lowest(problem, effort)
    indifferent = all(min(row) == max(row) for row in problem.costs)
    if indifferent or not fits(lowest, problem):
        return lowest
    found, proven = _cheapest(problem, lowest, effort)
    return replace(found, waits=Waits(problem.cost(found), problem.cost(lowest), proven))


def _lowest(problem: Problem, effort: Effort) -> MemoryPlan:
    hopeless = problem.bound > problem.capacities[0][1]
    single = one_memory_plan(problem, solve_instance, NO_EFFORT if hopeless else effort)
    if len(problem.capacities) == 1 or fits(single, problem):
        return single
    limit = _work(problem, effort).minimise
    split = _split(replace(problem, costs=()), limit)
    return _split_plan(problem, split) if split else single


def _cheapest(problem: Problem, lowest: MemoryPlan, effort: Effort) -> tuple[MemoryPlan, bool]:
    """The plan of least cost with at most the bytes of ``lowest``; whether that is proven."""
    least = sum(min(row) for row in problem.costs)
    for plan in (lowest, *_alone(problem, effort)):
        if problem.cost(plan) == least and plan.arena <= lowest.arena:
            return plan, True
    limit = _work(problem, effort).cheapen
    split = _split(problem, limit, most=lowest.arena)
    if split is None or split.cost > problem.cost(lowest):
        return lowest, False
    return _split_plan(problem, split), split.proven or split.cost == least


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


def _alone(problem: Problem, effort: Effort) -> Iterator[MemoryPlan]:
    """Plans in one of the other memories, where they fit."""
    for name, room in problem.capacities[1:]:
        if problem.bound <= room:
            first = ((name, room),)
            alone = replace(problem, capacities=first, costs=())
            plan = one_memory_plan(alone, solve_instance, effort)
            if fits(plan, problem):
                yield plan


def _split(problem: Problem, limit: float, most: int | None = None) -> Split | None:
    """Over all memories, in at most ``most`` bytes if that is given."""
    rooms = [capacity for _, capacity in problem.capacities]
    if problem.bound > sum(rooms):
        return None
    return best_split(instance_of(problem), rooms, limit, costs=problem.costs, most=most)


def _split_plan(problem: Problem, split: Split) -> MemoryPlan:
    memories = tuple(problem.memories[k] for k in split.memories)
    placements = problem.placements(split.offsets, memories)
    return _plan(problem, placements, problem.bound, split.solver)


def _work(problem: Problem, effort: Effort) -> Work:
    return effort.work.for_pairs(len(instance_of(problem).conflicts()))


def _plan(
    problem: Problem, placements: tuple[Placement, ...], bound: int, solver: str
) -> MemoryPlan:
    heights = heights_of(placements, problem.memories, problem.alignment)
    total = sum(height for _, height in heights)
    status = PlanStatus.OPTIMAL if total == bound else PlanStatus.FEASIBLE
    return MemoryPlan(placements, heights, bound, status, solver)

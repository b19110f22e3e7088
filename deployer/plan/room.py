"""Whether the arena has room beside the weights, those fetched that can be if need be."""

from __future__ import annotations

from collections.abc import Sequence

from deployer.allocate import Effort, Problem, Work, fits, solve
from deployer.ir import Buffer, Schedule
from deployer.plan.fetchable import PrefetchProblem, prefetch_problem
from deployer.plan.fit import some_arena_fits
from deployer.plan.release import released, required_bytes
from deployer.plan.request import PlanRequest

QUICK = Effort(proof_nodes=0, nodes=0, tries=0, work=Work(0, 0, 0, 0))


def fits_with_prefetch(found: Schedule, request: PlanRequest) -> bool:
    """By the bytes of each step: that the allocator finds places is another matter."""
    if some_arena_fits(found, request.board):
        return True
    given = prefetch_problem(found, request.target, request.code_excess)
    return given is not None and bool((required_bytes(released(given)) <= given.room).all())


def resident_fits(given: PrefetchProblem) -> bool:
    """Whether nothing has to be fetched."""
    problem = arena_beside(given, given.buffers, sum(item.bytes for item in given.fetchable))
    return problem.capacities[0][1] >= 0 and fits(solve(problem, QUICK), problem)


def arena_beside(given: PrefetchProblem, buffers: Sequence[Buffer], kept: int) -> Problem:
    """The arena of ``buffers``; ``kept``: bytes of weights that stay."""
    return Problem(tuple(buffers), ((given.memory, given.room - kept),))

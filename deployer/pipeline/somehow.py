"""Whether the arena has room beside the weights, those fetched that can be if need be."""

from __future__ import annotations

from collections.abc import Sequence

from deployer.allocate.allocate import fits, solve
from deployer.allocate.exact import Work
from deployer.allocate.portfolio import Effort
from deployer.allocate.problem import Problem
from deployer.ir.plan import Buffer, Schedule
from deployer.pipeline.fit import some_arena_fits
from deployer.pipeline.loosened import eased, needed
from deployer.pipeline.options import Job
from deployer.pipeline.streaming import Streaming, streaming

PLACING = Effort(proof_nodes=0, nodes=0, tries=0, work=Work(0, 0, 0, 0))


def fits_somehow(job: Job, found: Schedule) -> bool:
    """By the bytes of each step: that the allocator finds places is another matter."""
    if some_arena_fits(found, job.board):
        return True
    given = streaming(found, job.target, job.code_excess)
    return given is not None and bool((needed(eased(given)) <= given.room).all())


def resident_fits(given: Streaming) -> bool:
    """Whether nothing has to be fetched."""
    problem = problem_beside(given, given.buffers, sum(item.bytes for item in given.streamable))
    return problem.capacities[0][1] >= 0 and fits(solve(problem, PLACING), problem)


def problem_beside(given: Streaming, buffers: Sequence[Buffer], kept: int) -> Problem:
    """The arena of ``buffers``; ``kept``: bytes of weights that stay."""
    return Problem(tuple(buffers), ((given.memory, given.room - kept),))

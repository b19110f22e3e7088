"""The planner: from an integer network to steps, memory and tiles, and nothing else.

Each function is one stage, from the results of those before to its own; ``plan`` is all of them.
"""

from __future__ import annotations

from dataclasses import dataclass

from deployer.allocate import plan_of
from deployer.ir import Graph, MemoryPlan, Schedule, TilePlan
from deployer.plan.constants import copies_wanted, with_copies_placed
from deployer.plan.fetchable import prefetch_problem
from deployer.plan.fit import arena_problem, require_fit
from deployer.plan.prefetch import prefetched, scheduled
from deployer.plan.regions import restructured
from deployer.plan.request import PlanRequest
from deployer.plan.room import resident_fits
from deployer.plan.spill_places import with_spill_places
from deployer.tile import TILERS, tile


@dataclass(frozen=True)
class Plan:
    """``schedule``: the graph in regions, its steps with kernels and scratch, what shares bytes;
    ``memory``: where every buffer lies; ``tiles``: how steps are cut for an inner memory."""

    schedule: Schedule
    memory: MemoryPlan
    tiles: TilePlan


def plan(graph: Graph, request: PlanRequest) -> Plan:
    """The plan of the integer network ``graph``. Raises LimitError where nothing fits
    ``limits.ram``, FitError where it does not fit the board, ModelError where no kernel takes a
    node."""
    schedule = scheduled(restructured(graph, request), request)
    memory = allocated(schedule, request)
    return Plan(schedule, memory, tiled(schedule, memory, request))


def allocated(schedule: Schedule, request: PlanRequest) -> MemoryPlan:
    """Where the buffers of ``schedule`` lie, and its constants. Raises FitError."""
    memory = with_spill_places(schedule, _arena(schedule, request), request.target)
    require_fit(schedule, memory, request.board)
    if not copies_wanted(request.limits):
        return memory
    return with_copies_placed(schedule, memory, request.board)


def _arena(schedule: Schedule, request: PlanRequest) -> MemoryPlan:
    given = prefetch_problem(schedule, request.target, request.code_excess)
    if given is not None and not resident_fits(given):
        return prefetched(given)[1]
    problem = arena_problem(schedule, request.board)
    request.searching(f"places of {len(problem.buffers)} buffers")
    return plan_of(problem, schedule, request.board, request.effort.arena)


def tiled(schedule: Schedule, memory: MemoryPlan, request: PlanRequest) -> TilePlan:
    """The tiles of every step. Raises FitError where ``memory``, which may have been edited by
    hand, does not fit."""
    require_fit(schedule, memory, request.board)
    return tile(schedule, memory, request.target, tiler=TILERS[request.limits.tiler])

"""The restructure stage: regions where a network would not fit, or where the user asks for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from deployer.allocate.allocate import fits, solve
from deployer.allocate.heuristics.bag import bag
from deployer.allocate.instance import instance_of
from deployer.allocate.problem import Problem, problem_of
from deployer.analysis.fit import constant_reserve
from deployer.board.model import Board
from deployer.ir.graph import Graph
from deployer.ir.plan import Schedule
from deployer.ir.verify import verify
from deployer.pipeline.fit import taken
from deployer.pipeline.options import Job
from deployer.pipeline.verdict import judge
from deployer.restructure.auto import RestructureOptions, restructure
from deployer.restructure.board_cost import model_of
from deployer.restructure.plan import Planner
from deployer.schedule.order import schedule as order_steps
from deployer.schedule.region_scratch import region_scratch

_TRIES = (1.0, 0.95, 0.9, 0.8)  # of all arena memories: buffers must divide among them


def restructured(job: Job, graph: Graph) -> Graph:
    """``graph`` with the regions the job's options ask for; its function is the same.

    By default there are none unless the arena is too small without them. Raises FitError when
    nothing fits ``--ram``; what does not fit the board is left to the allocate stage to refuse.
    """
    options = restructure_options(job)
    order = order_steps(graph, job.target.kernels)
    graph, scratch = order.graph, {step.node: step.scratch for step in order.steps}
    given: dict[str, Any] = {
        "scratch": scratch,
        "model": model_of(job.board),
        "pieces": _pieces(job),
    }
    if options.mode != "auto" or options.ram:
        return verify(restructure(graph, options, **given).graph)
    found = graph
    if options.optimize != "time" or options.stream_input:
        found = verify(restructure(graph, _with_goal(options), **given).graph)
    if arena_fits(order_steps(found, job.target.kernels), job.board):
        return found
    if _hopeless(graph, job.board):
        return found
    return _fitting(job, graph, options, scratch) or found


def _with_goal(options: RestructureOptions) -> RestructureOptions:
    """For the least time alone every input would stay resident."""
    return replace(options, optimize="balanced") if options.optimize == "time" else options


def _fitting(
    job: Job, graph: Graph, options: RestructureOptions, scratch: Mapping[str, int]
) -> Graph | None:
    """The first plan for the board's memories whose buffers divide among them."""
    order = order_steps(graph, job.target.kernels)
    planner = Planner(
        graph,
        model_of(job.board),
        scratch,
        stream_input=options.stream_input,
        pieces=_pieces(job),
    )
    for budget in _budgets(problem_of(order, job.board, reserved=taken(graph, job.board))):
        found = planner.within(budget)
        if found and arena_fits(order_steps(found.graph, job.target.kernels), job.board):
            return verify(found.graph)
    return None


def _pieces(job: Job) -> Callable[[Graph], Mapping[str, int]]:
    """Scratch of the kernels inside a graph's regions."""
    return lambda graph: region_scratch(job.target.kernels, graph)


def _hopeless(graph: Graph, board: Board) -> bool:
    """Whether weights and code alone are too large, whatever the arena."""
    reserve = constant_reserve(graph, board)
    return any(size > board.memory(name).size for name, size in reserve.items())


def restructure_options(job: Job) -> RestructureOptions:
    options = job.options
    return RestructureOptions(
        options.restructure, options.ram, options.optimize, options.stream_input
    )


def fitting_options(job: Job, graph: Graph) -> str:
    """The options with which ``graph`` would fit the job's board; "" when there are none, or the
    arena is not what is too large."""
    if _hopeless(graph, job.board):
        return ""
    for text, by_rows in (("--restructure auto", False), ("--stream-input", True)):
        options = replace(
            job.options, restructure="auto", ram=None, optimize="time", stream_input=by_rows
        )
        if options == job.options:
            continue
        found = restructured(replace(job, options=options), graph)
        if found.regions and everything_fits(order_steps(found, job.target.kernels), job.board):
            return text
    return ""


def arena_fits(schedule: Schedule, board: Board) -> bool:
    """By the fast plan if that is enough, else by the allocator."""
    problem = problem_of(schedule, board, reserved=taken(schedule.graph, board))
    if problem.bound > sum(room for _, room in problem.capacities):
        return False
    fast = bag(instance_of(problem)).height
    return fast <= problem.capacities[0][1] or fits(solve(problem), problem)


def everything_fits(schedule: Schedule, board: Board) -> bool:
    """Arena, weights and all."""
    return judge(schedule, board).refusal is None


def _budgets(problem: Problem) -> Iterator[int]:
    """Bytes to plan for, from all memories together down to the first alone."""
    rooms = [room for _, room in problem.capacities]
    several = (int(sum(rooms) * part) for part in _TRIES)
    yield from (room for room in several if room > rooms[0])
    yield rooms[0]

"""The restructure stage: regions where a network would not fit, or where the user asks for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from deployer.allocate.problem import Problem
from deployer.analysis.fit import constant_reserve
from deployer.board.model import Board
from deployer.errors import FitError
from deployer.ir.graph import Graph
from deployer.ir.verify import verify
from deployer.pipeline.chosen import FIRST, chosen, granted
from deployer.pipeline.fit import arena_problems, some_arena_fits
from deployer.pipeline.options import Job
from deployer.pipeline.scheduled import scheduled, sharing
from deployer.pipeline.somehow import fits_somehow
from deployer.pipeline.striped import striped
from deployer.restructure.auto import RestructureOptions, planned
from deployer.restructure.board_cost import model_of
from deployer.restructure.cost import graph_cost_of
from deployer.restructure.lean import lean, refilled
from deployer.restructure.plan import Planner
from deployer.schedule.order import schedule as order_steps
from deployer.schedule.region_scratch import region_scratch

_TRIES = (1.0, 0.95, 0.9, 0.8)  # of all arena memories: buffers must divide among them


def restructured(job: Job, graph: Graph) -> Graph:
    """``graph`` with the regions the job's options ask for; its function is the same.

    By default there are none unless the arena is too small without them. Raises FitError when
    nothing fits ``--ram``; what does not fit the board is left to the allocate stage to refuse.
    Kernels are chosen too: the fastest, or where memory is short those that need less of it.
    """
    fast = chosen(job, graph)
    if job.options.choose == FIRST:
        return _in_regions(job, fast)
    slim = lean(fast, job.target.kernels)
    if job.options.optimize == "ram":
        return _least(job, _in_regions(job, slim), fast)
    try:
        found = _in_regions(job, fast)
    except FitError:
        return _refilled(job, _in_regions(job, slim), fast)
    if not found.regions and granted(job, found):
        return found
    return _roomier(job, found, slim, fast)


def _least(job: Job, found: Graph, fast: Graph) -> Graph:
    """``found`` with the kernels of ``fast`` that do not raise its peak."""
    peak = scheduled(job, found).peak
    return _filled(job, found, fast, lambda graph: scheduled(job, graph).peak <= peak)


def _refilled(job: Job, found: Graph, fast: Graph) -> Graph:
    """``found`` with the kernels of ``fast`` that fit."""
    return _filled(job, found, fast, lambda graph: granted(job, graph))


def _filled(job: Job, found: Graph, fast: Graph, ok: Callable[[Graph], bool]) -> Graph:
    return verify(refilled(found, fast, job.target.kernels, ok))


def _roomier(job: Job, found: Graph, slim: Graph, fast: Graph) -> Graph:
    """The cheaper of ``found``, which has regions or does not fit, and what fits with kernels that
    take less scratch."""
    if _hopeless(fast, job.board):
        return found
    if not granted(job, found):
        other = _in_regions(job, slim)
        return _refilled(job, other, fast) if granted(job, other) else found
    if job.options.restructure != "auto" or job.options.stream_input or not granted(job, slim):
        return found
    other, model = _refilled(job, slim, fast), model_of(job.board)
    return min(found, other, key=lambda graph: graph_cost_of(graph, model))


def _in_regions(job: Job, graph: Graph) -> Graph:
    """``graph`` with the kernels it has and the regions the options ask for."""
    options = restructure_options(job)
    graph = order_steps(graph, job.target.kernels).graph
    planner = planner_of(job, graph, stream_input=options.stream_input)
    if options.mode != "auto" or options.ram:
        return verify(planned(planner, options).graph)
    found = graph
    if options.optimize != "time" or options.stream_input:
        found = verify(planned(planner, _with_goal(options)).graph)
    if fits_somehow(job, scheduled(job, found)):
        return found
    if (by_stripes := striped(job, found)) is not None:
        return by_stripes
    if _hopeless(graph, job.board):
        return found
    return _fitting(job, planner) or found


def _with_goal(options: RestructureOptions) -> RestructureOptions:
    """For the least time alone every input would stay resident."""
    return replace(options, optimize="balanced") if options.optimize == "time" else options


def planner_of(job: Job, graph: Graph, *, stream_input: bool = False) -> Planner:
    """The planner of a graph in the order of its steps, with the board's kernels and costs."""
    steps = order_steps(graph, job.target.kernels).steps
    return Planner(
        graph,
        model_of(job.board),
        {step.node: step.scratch for step in steps},
        stream_input=stream_input,
        share=sharing(job),
        pieces=_pieces(job),
    )


def _fitting(job: Job, planner: Planner) -> Graph | None:
    """The first plan for the board's memories whose buffers divide among them."""
    order = order_steps(planner.graph, job.target.kernels)
    for budget in _budgets(arena_problems(order, job.board)):
        found = planner.within(budget)
        if found and some_arena_fits(scheduled(job, found.graph), job.board):
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


def _budgets(problems: Iterable[Problem]) -> tuple[int, ...]:
    """Bytes to plan for, largest first: from all memories together down to the first alone."""
    found: set[int] = set()
    for problem in problems:
        rooms = [room for _, room in problem.capacities]
        several = (int(sum(rooms) * part) for part in _TRIES)
        found |= {rooms[0], *(room for room in several if room > rooms[0])}
    return tuple(sorted(found, reverse=True))

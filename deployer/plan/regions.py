"""Regions where a network would not fit, or where the user asks for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from deployer.allocate import Problem
from deployer.analysis import constant_reserve
from deployer.board import Board
from deployer.choices import KernelPolicy, Objective, Restructuring, Sharing
from deployer.errors import FitError
from deployer.ir import Graph, verify
from deployer.plan.aliases import aliased
from deployer.plan.cascades import in_cascades
from deployer.plan.fetchable import fetches_weights
from deployer.plan.fit import arena_problems, some_arena_fits
from deployer.plan.flash import require_flash
from deployer.plan.front import FrontPlan, Search, balanced, has_front
from deployer.plan.kernel_code import require_code, within_code
from deployer.plan.kernels import fastest, fits_limits
from deployer.plan.part_by_part import in_channel_parts
from deployer.plan.price import Price
from deployer.plan.request import Limits, PlanRequest
from deployer.plan.room import fits_with_prefetch
from deployer.plan.spills import in_spills
from deployer.restructure import (
    Planner,
    RestructureOptions,
    graph_cost_of,
    lean,
    model_of,
    planned,
    refilled,
)
from deployer.schedule import region_scratch, schedule, shared
from deployer.units import format_bytes

_SHARES = (1.0, 0.95, 0.9, 0.8)  # of all arena memories: buffers must divide among them


def restructured(graph: Graph, request: PlanRequest) -> Graph:
    """As ``restructured_by``, of a search that serves nothing else."""
    return restructured_by(search_of(graph, request))


def restructured_by(search: Search) -> Graph:
    """The graph of ``search`` with the regions its request asks for; its function is the same.

    With a limit or a goal of RAM it is a plan of the front (deployer/plan/front.py) where the board
    has one. Otherwise there are no regions unless the arena is too small without them. Kernels are
    chosen too: the fastest, or where memory is short those that need less of it. Raises FitError
    when nothing fits ``limits.ram``; what does not fit the board is left to ``allocated`` to
    refuse, LimitError where the constants exceed ``limits.flash``, or the kernels
    ``limits.kernel_code``.
    """
    request = search.request
    found = require_code(within_code(_restructured(search), request), request)
    if request.limits.flash is None:
        return found
    return require_flash(found, request.target.kernels, request.limits.flash)


def _restructured(search: Search) -> Graph:
    if (found := _of_front(search)) is not None:
        return found
    graph, request = search.plain, search.request
    fast = fastest(graph, request)
    if request.limits.choose == KernelPolicy.FIRST:
        return _in_regions(fast, request)
    slim = lean(fast, request.target.kernels)
    if request.limits.optimize == Objective.RAM:
        return _least(_in_regions(slim, request), fast, request)
    try:
        found = _in_regions(fast, request)
    except FitError:
        return _refilled(_in_regions(slim, request), fast, request)
    if not found.regions and fits_limits(found, request):
        return found
    return _roomier(found, slim, fast, request)


def _of_front(search: Search) -> Graph | None:
    """The plan of the front that the request asks for; None where it asks for none or none fits."""
    request, limits = search.request, search.request.limits
    asks = limits.ram is not None or limits.optimize in (Objective.BALANCED, Objective.RAM)
    saves_flash = limits.flash is not None or limits.optimize == Objective.FLASH
    if not has_front(request) or saves_flash or not asks:
        return None
    found = _wanted(search, limits)
    if found is None or not fits_limits(found.graph, request):
        return None
    return found.graph


def _wanted(search: Search, limits: Limits) -> FrontPlan | None:
    """The best balanced, the fastest within ``limits.ram``, or within the smallest arena."""
    if limits.optimize == Objective.BALANCED:
        return balanced(search.front(), limits.ram)
    if limits.optimize == Objective.TIME:
        return search.within(limits.ram or 0)
    least = search.smallest()
    return search.within(least.arena) or least


def search_of(graph: Graph, request: PlanRequest) -> Search:
    """The search for the front of the integer network ``graph``."""
    by_rows = request.limits.stream_input
    return Search(graph, request, lambda one: planner_of(one, request, stream_input=by_rows))


def _least(found: Graph, fast: Graph, request: PlanRequest) -> Graph:
    """``found`` with the kernels of ``fast`` that do not raise its peak."""
    peak = aliased(found, request).peak
    return _filled(found, fast, request, lambda graph: aliased(graph, request).peak <= peak)


def _refilled(found: Graph, fast: Graph, request: PlanRequest) -> Graph:
    """``found`` with the kernels of ``fast`` that fit."""
    return _filled(found, fast, request, lambda graph: fits_limits(graph, request))


def _filled(
    found: Graph, fast: Graph, request: PlanRequest, accepts: Callable[[Graph], bool]
) -> Graph:
    return verify(refilled(found, fast, request.target.kernels, accepts))


def _roomier(found: Graph, slim: Graph, fast: Graph, request: PlanRequest) -> Graph:
    """The cheaper of ``found``, which has regions or does not fit, and what fits with kernels that
    take less scratch."""
    limits = request.limits
    if hopeless(fast, request.board) or no_arena(fast, request.board):
        return found
    if not fits_limits(found, request):
        other = _in_regions(slim, request)
        return _refilled(other, fast, request) if fits_limits(other, request) else found
    if limits.restructure != Restructuring.AUTO or limits.stream_input:
        return found
    if not fits_limits(slim, request):
        return found
    other, model = _refilled(slim, fast, request), model_of(request.board)
    return min(found, other, key=lambda graph: graph_cost_of(graph, model))


def _in_regions(graph: Graph, request: PlanRequest) -> Graph:
    """``graph`` with the kernels it has and the regions the request asks for."""
    options = restructure_options(request)
    graph = schedule(graph, request.target.kernels).graph
    planner = planner_of(graph, request, stream_input=options.stream_input)
    if options.mode != Restructuring.AUTO or options.ram:
        return verify(planned(planner, options).graph)
    found = graph
    if options.optimize != Objective.TIME or options.stream_input:
        found = verify(planned(planner, _with_goal(options)).graph)
    if (in_parts := in_channel_parts(found, request)) is not None:
        return in_parts
    if fits_with_prefetch(aliased(found, request), request):
        return found
    if (in_stripes := in_cascades(found, request)) is not None:
        return in_stripes
    if (spilled := in_spills(graph, request)) is not None:
        return spilled
    if hopeless(graph, request.board) or no_arena(graph, request.board):
        return found
    return _fitting(planner, request) or found


def _with_goal(options: RestructureOptions) -> RestructureOptions:
    """For the least time alone every input would stay resident."""
    if options.optimize != Objective.TIME:
        return options
    return replace(options, optimize=Objective.BALANCED)


def planner_of(graph: Graph, request: PlanRequest, *, stream_input: bool = False) -> Planner:
    """The planner of a graph in the order of its steps, with the board's kernels and costs."""
    families, cores = request.target.kernels, request.cores
    aliasing = request.limits.share != Sharing.OFF
    return Planner(
        graph,
        model_of(request.board),
        {step.node: step.scratch for step in schedule(graph, families).steps},
        stream_input=stream_input,
        share=(lambda found: shared(found, families, cores=cores)) if aliasing else None,
        pieces=lambda found: region_scratch(families, found),
        cut=Price(request.board).cut,
        pace=request.effort.pace,
        searching=lambda budget: request.searching(f"regions within {_told(budget)}"),
    )


def _told(budget: float) -> str:
    return format_bytes(int(budget)) if budget < float("inf") else "any bytes"


def _fitting(planner: Planner, request: PlanRequest) -> Graph | None:
    """The first plan for the board's memories whose buffers divide among them."""
    order = schedule(planner.graph, request.target.kernels)
    for budget in _budgets(arena_problems(order, request.board)):
        found = planner.within(budget)
        if found and some_arena_fits(aliased(found.graph, request), request.board):
            return verify(found.graph)
    return None


def hopeless(graph: Graph, board: Board) -> bool:
    """Whether weights and code alone are too large, whatever the arena."""
    reserve = constant_reserve(graph, board)
    return any(size > board.memory(name).size for name, size in reserve.items())


def no_arena(graph: Graph, board: Board) -> bool:
    """Whether what the network gives is more than the arena's memories, whatever the plan."""
    room = sum(board.memory(name).size for name in board.place.arena)
    given = sum(graph.values[name].bytes for name in graph.outputs)
    return not fetches_weights(board) and given > room


def restructure_options(request: PlanRequest) -> RestructureOptions:
    """The request's options of regions, which save no flash."""
    limits = request.limits
    goal = Objective.TIME if limits.optimize == Objective.FLASH else limits.optimize
    return RestructureOptions(limits.restructure, limits.ram, goal, limits.stream_input)


def _budgets(problems: Iterable[Problem]) -> tuple[int, ...]:
    """Bytes to plan for, largest first: from all memories together down to the first alone."""
    found: set[int] = set()
    for problem in problems:
        rooms = [room for _, room in problem.capacities]
        several = (int(sum(rooms) * share) for share in _SHARES)
        found |= {rooms[0], *(room for room in several if room > rooms[0])}
    return tuple(sorted(found, reverse=True))

"""Networks that do not fit with all weights: some of them lie in the memory behind the arena's and
are fetched while the network runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from deployer.allocate import Problem, check, fits, plan_of, round_up, solve
from deployer.errors import FitError
from deployer.ir import (
    Buffer,
    Fetch,
    Graph,
    InvariantError,
    MemoryPlan,
    PrefetchPlan,
    Schedule,
    weights_id,
)
from deployer.plan.aliases import AliasPolicy, aliased, policies
from deployer.plan.chunks import chunk_counts
from deployer.plan.fetchable import (
    ALIGN_BYTES,
    FetchableArray,
    PrefetchProblem,
    fetches_weights,
    prefetch_problem,
)
from deployer.plan.release import released, without_costly_aliases
from deployer.plan.request import PlanRequest
from deployer.plan.room import QUICK, arena_beside, fits_with_prefetch, resident_fits
from deployer.tile import Choice, choose, in_chunks, outer_of

MARGIN_SHARES = (0.0, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64)  # of the room, left to gaps


def scheduled(graph: Graph, request: PlanRequest) -> Schedule:
    """The schedule of ``graph``; where weights are to be fetched, with the layers in parts that
    have too many for the room there is."""
    if not fetches_weights(request.target):
        return aliased(graph, request)
    for policy in policies(request):
        order = policy(graph, request)
        given = prefetch_problem(order, request.target, request.code_excess)
        if given is None:
            return aliased(graph, request)
        if resident_fits(given):
            return order
        if not fits_with_prefetch(order, request):
            continue
        found = _in_chunks(graph, request, released(given), policy)
        if found is not None:
            return found
    return order


def _in_chunks(
    graph: Graph, request: PlanRequest, given: PrefetchProblem, policy: AliasPolicy
) -> Schedule | None:
    """Of fewest estimated cycles, of those for whose transfers the allocator finds places."""
    for counts in chunk_counts(given):
        found = given.schedule
        if counts:
            parted = policy(in_chunks(graph, counts), request)
            found = without_costly_aliases(replace(given, schedule=parted))
        if _early(replace(given, schedule=found)) is not None:
            return found
    return None


def prefetched(given: PrefetchProblem) -> tuple[Problem, MemoryPlan]:
    """The arena with the weights that are fetched, and when. Raises FitError when a step has no
    room for its own weights beside what is alive."""
    return _early(given) or on_demand(given)


def _early(given: PrefetchProblem) -> tuple[Problem, MemoryPlan] | None:
    """With transfers as early as can be, and some of the room left to gaps where that finds no
    plan."""
    if given.untimed.earliest(given.room) is None:
        return None
    for margin in MARGIN_SHARES:
        choice = choose(given.traffic, int(given.room * (1 - margin)))
        if choice is None:
            break
        for begins in (choice.begins, given.traffic.without(choice.resident).latest(choice.begins)):
            found = _placed(given, replace(choice, begins=begins))
            if found is not None:
                return found
    return None


def _placed(given: PrefetchProblem, choice: Choice) -> tuple[Problem, MemoryPlan] | None:
    problem = _fetching(given, choice)
    plan = solve(problem, QUICK)
    if not fits(plan, problem):
        return None
    if found := check(plan, problem):
        raise InvariantError("; ".join(found))
    return problem, replace(plan, prefetch=_plan(given, choice))


def _fetching(given: PrefetchProblem, choice: Choice) -> Problem:
    """The arena with a buffer for each transfer."""
    buffers = [
        Buffer(weights_id(item.nodes[0]), begin, item.until + 1, item.bytes)
        for item, begin in zip(_fetched(given, choice.resident), choice.begins, strict=True)
    ]
    kept = sum(given.fetchable[i].bytes for i in choice.resident)
    return arena_beside(given, (*given.buffers, *buffers), kept)


def _fetched(given: PrefetchProblem, resident: Sequence[int]) -> list[FetchableArray]:
    return [item for i, item in enumerate(given.fetchable) if i not in set(resident)]


def _plan(given: PrefetchProblem, choice: Choice) -> PrefetchPlan:
    outer, fetched = outer_of(given.board), _fetched(given, choice.resident)
    assert outer is not None
    line = given.traffic.without(choice.resident).timeline(choice.begins)
    steps = given.schedule.steps
    return PrefetchPlan(
        memory=outer[0].name,
        fetches=tuple(_fetches(fetched, choice.begins)),
        resident=given.constants - sum(item.bytes for item in fetched),
        code=given.code,
        cycles=round(line.total),
        stalls=tuple((steps[i].node, round(w)) for i, w in enumerate(line.waits) if round(w)),
    )


def _fetches(fetched: Sequence[FetchableArray], begins: Sequence[int]) -> Iterator[Fetch]:
    source = 0
    for item, begin in zip(fetched, begins, strict=True):
        yield Fetch(item.nodes[0], item.array, source, item.bytes, begin, item.step, item.nodes[1:])
        source += round_up(item.bytes, ALIGN_BYTES)


def on_demand(given: PrefetchProblem) -> tuple[Problem, MemoryPlan]:
    """Nothing stays and nothing is prefetched, which takes least room. Raises FitError with the
    step that lacks most."""
    steps = tuple(item.step for item in given.fetchable)
    choice = Choice((), steps, 0.0, 0)
    problem = _fetching(given, choice)
    try:
        plan = plan_of(problem, given.schedule, given.board)
    except FitError as error:
        why = "only weights are fetched from the memory behind it: each step's activations stay"
        raise FitError(error.what, why=(*error.why, why), hints=error.hints) from None
    return problem, replace(plan, prefetch=_plan(given, choice))

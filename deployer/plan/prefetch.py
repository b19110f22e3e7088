"""Networks that do not fit with all weights: some of them lie in the memory behind the arena's and
are fetched while the network runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from deployer.allocate import (
    NO_EFFORT,
    Effort,
    Instance,
    Packing,
    Problem,
    Solution,
    check,
    fits,
    one_memory_plan,
    plan_of,
    round_up,
    solve,
)
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
from deployer.plan.in_turn import Turns, in_turn
from deployer.plan.release import released, without_costly_aliases
from deployer.plan.request import PlanRequest
from deployer.plan.room import QUICK, arena_beside, fits_with_prefetch, resident_fits
from deployer.tile import Choice, choose, in_chunks, outer_of

MARGIN_SHARES = (0.0, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64)  # of the room, left to gaps
IN_TURN = "in-turn"  # the solver's name


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
    """Of fewest estimated cycles, of the best numbers of parts for whose transfers there are
    places."""
    request.searching("parts of weights that are fetched")
    counts = chunk_counts(given, request.effort.coarsened)
    planned = (_in_parts(graph, request, given, policy, each) for each in counts)
    found = islice((each for each in planned if each is not None), request.effort.placed)
    best = min(found, key=lambda one: _cycles(one[1]), default=None)
    return best[0] if best else None


def _in_parts(
    graph: Graph,
    request: PlanRequest,
    given: PrefetchProblem,
    policy: AliasPolicy,
    counts: Mapping[str, int],
) -> tuple[Schedule, tuple[Problem, MemoryPlan]] | None:
    """With layers in ``counts`` parts; None where transfers find no places."""
    found = given.schedule
    request.searching(f"times of {len(given.fetchable)} transfers")
    if counts:
        parted = policy(in_chunks(graph, counts), request)
        found = without_costly_aliases(replace(given, schedule=parted))
    placed = _early(replace(given, schedule=found))
    return (found, placed) if placed else None


def prefetched(given: PrefetchProblem) -> tuple[Problem, MemoryPlan]:
    """The arena with the weights that are fetched, and when. Raises FitError when a step has no
    room for its own weights beside what is alive."""
    return _early(given) or on_demand(given)


def _early(given: PrefetchProblem) -> tuple[Problem, MemoryPlan] | None:
    """The plan of fewest estimated cycles, of those with all transfers as early as bytes allow,
    with some of the room left to gaps, and with one transfer after the other where there is a
    gap."""
    if given.untimed.earliest(given.room) is None:
        return None
    choices = [_chosen(given, int(given.room * (1 - share))) for share in MARGIN_SHARES]
    known = list(dict.fromkeys(choice for choice in choices if choice is not None))
    if known and (ideal := _placed(given, known[0])) is not None:
        return ideal
    found = [*_in_turn(given, known), *islice(_with_gaps(given, known), 1)]
    return min(found, key=_cycles, default=None)


def _chosen(given: PrefetchProblem, room: int) -> Choice | None:
    """What stays, but for weights that are fetched for several steps, of which none stays alone."""
    found = choose(given.traffic, room)
    again = {i for i, item in enumerate(given.fetchable) if item.again}
    if found is None or again.isdisjoint(found.resident):
        return found
    resident = tuple(i for i in found.resident if i not in again)
    left = given.traffic.without(resident)
    begins = left.earliest(room - _kept(given, resident))
    if begins is None:
        return None
    fetched = sum(transfer.bytes for transfer in left.transfers)
    return Choice(resident, begins, left.timeline(begins).stalled, fetched)


def _cycles(found: tuple[Problem, MemoryPlan]) -> tuple[int, int]:
    prefetch = found[1].prefetch
    assert prefetch is not None
    return prefetch.cycles, prefetch.bytes


def _with_gaps(
    given: PrefetchProblem, choices: Iterable[Choice]
) -> Iterator[tuple[Problem, MemoryPlan]]:
    """Of those for less and less of the room, with transfers as early or as late as serves, what
    the allocator finds places for."""
    for choice in choices:
        latest = given.traffic.without(choice.resident).latest(choice.begins)
        for begins in (choice.begins, latest):
            if found := _placed(given, replace(choice, begins=begins)):
                yield found


def _in_turn(
    given: PrefetchProblem, choices: Sequence[Choice]
) -> Iterator[tuple[Problem, MemoryPlan]]:
    """The best of each choice of what stays."""
    for resident in dict.fromkeys(choice.resident for choice in choices):
        traffic = given.traffic.without(resident)
        needed = [
            Buffer(weights_id(item.nodes[0]), item.step, item.until + 1, item.bytes)
            for item in _fetched(given, resident)
        ]
        room = given.room - _kept(given, resident)
        turns = in_turn(given.buffers, needed, traffic.entries, room)
        best = min(turns, key=lambda one: traffic.timeline(one.begins).total, default=None)
        if best is not None:
            yield _as_placed(given, Choice(resident, best.begins, 0.0, 0), best)


def _as_placed(given: PrefetchProblem, choice: Choice, turns: Turns) -> tuple[Problem, MemoryPlan]:
    problem, offsets = _fetching(given, choice), (*turns.activations, *turns.weights)

    def solver(instance: Instance, effort: Effort) -> Solution:
        return Solution(Packing(offsets, instance.height(offsets), IN_TURN), instance.bound)

    return problem, _checked(given, choice, problem, one_memory_plan(problem, solver, NO_EFFORT))


def _placed(given: PrefetchProblem, choice: Choice) -> tuple[Problem, MemoryPlan] | None:
    problem = _fetching(given, choice)
    plan = solve(problem, QUICK)
    return (problem, _checked(given, choice, problem, plan)) if fits(plan, problem) else None


def _checked(
    given: PrefetchProblem, choice: Choice, problem: Problem, plan: MemoryPlan
) -> MemoryPlan:
    if found := check(plan, problem):
        raise InvariantError("; ".join(found))
    return replace(plan, prefetch=_plan(given, choice))


def _fetching(given: PrefetchProblem, choice: Choice) -> Problem:
    """The arena with a buffer for each transfer."""
    buffers = [
        Buffer(weights_id(item.nodes[0]), begin, item.until + 1, item.bytes)
        for item, begin in zip(_fetched(given, choice.resident), choice.begins, strict=True)
    ]
    return arena_beside(given, (*given.buffers, *buffers), _kept(given, choice.resident))


def _kept(given: PrefetchProblem, resident: Iterable[int]) -> int:
    return sum(given.fetchable[i].bytes for i in resident)


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
        resident=given.constants - given.fetched_bytes(choice.resident),
        code=given.code,
        cycles=round(line.total),
        stalls=tuple((steps[i].node, round(w)) for i, w in enumerate(line.waits) if round(w)),
    )


def _fetches(fetched: Sequence[FetchableArray], begins: Sequence[int]) -> Iterator[Fetch]:
    """An array that several steps fetch lies in the outer memory once."""
    sources: dict[str, int] = {}
    end = 0
    for item, begin in zip(fetched, begins, strict=True):
        source = sources.setdefault(item.array, end)
        end = max(end, source + round_up(item.bytes, ALIGN_BYTES))
        yield Fetch(item.nodes[0], item.array, source, item.bytes, begin, item.step, item.nodes[1:])


def on_demand(given: PrefetchProblem) -> tuple[Problem, MemoryPlan]:
    """Nothing stays and nothing is prefetched, which takes least room. Raises FitError with the
    step that lacks most."""
    steps = tuple(item.step for item in given.fetchable)
    choice = Choice((), steps, 0.0, 0)
    problem = _fetching(given, choice)
    try:
        plan = plan_of(problem, given.schedule, given.board)
    except FitError as error:
        why = "the memory behind it has weights, and images between layers where that helps"
        raise FitError(error.what, why=(*error.why, why), hints=error.hints) from None
    return problem, replace(plan, prefetch=_plan(given, choice))

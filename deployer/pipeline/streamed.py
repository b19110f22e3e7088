"""Networks that do not fit with all weights: some of them lie in the memory behind the arena's and
are fetched while the network runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from deployer.allocate.allocate import check, fits, plan_of, solve
from deployer.allocate.problem import Problem, round_up
from deployer.errors import FitError
from deployer.ir.graph import Graph
from deployer.ir.plan import Buffer, MemoryPlan, Schedule
from deployer.ir.stream import Fetch, StreamPlan, weights_id
from deployer.ir.verify import InvariantError
from deployer.pipeline.loosened import eased, loosened
from deployer.pipeline.options import Job
from deployer.pipeline.parts import chunk_counts
from deployer.pipeline.scheduled import Way, scheduled, ways
from deployer.pipeline.somehow import PLACING, fits_somehow, problem_beside, resident_fits
from deployer.pipeline.streaming import ALIGN, Streamable, Streaming, fetches, streaming
from deployer.tile.chunks import in_chunks
from deployer.tile.room import outer_of
from deployer.tile.stream import Choice, choose

MARGINS = (0.0, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64)  # of the room, left to gaps


def scheduled_to_fit(job: Job, graph: Graph) -> Schedule:
    """The schedule of ``graph``; where weights are to be fetched, with the layers in parts that
    have too many for the room there is."""
    if not fetches(job.target):
        return scheduled(job, graph)
    for way in ways(job):
        order = way(job, graph)
        given = streaming(order, job.target, job.code_excess)
        if given is None:
            return scheduled(job, graph)
        if resident_fits(given):
            return order
        parted = _in_parts(job, graph, eased(given), way) if fits_somehow(job, order) else None
        if parted is not None:
            return parted
    return order


def _in_parts(job: Job, graph: Graph, given: Streaming, way: Way) -> Schedule | None:
    """Of fewest estimated cycles, of those for whose transfers the allocator finds places."""
    for counts in chunk_counts(given):
        found = given.schedule
        if counts:
            found = loosened(replace(given, schedule=way(job, in_chunks(graph, counts))))
        if _ahead(replace(given, schedule=found)) is not None:
            return found
    return None


def stream(given: Streaming) -> tuple[Problem, MemoryPlan]:
    """The arena with the weights that are fetched, and when. Raises FitError when a step has no
    room for its own weights beside what is alive."""
    return _ahead(given) or one_by_one(given)


def _ahead(given: Streaming) -> tuple[Problem, MemoryPlan] | None:
    """With transfers as early as can be, and some of the room left to gaps where that finds no
    plan."""
    if given.untimed.earliest(given.room) is None:
        return None
    for margin in MARGINS:
        choice = choose(given.traffic, int(given.room * (1 - margin)))
        if choice is None:
            break
        for begins in (choice.begins, given.traffic.without(choice.resident).latest(choice.begins)):
            found = _placed(given, replace(choice, begins=begins))
            if found is not None:
                return found
    return None


def _placed(given: Streaming, choice: Choice) -> tuple[Problem, MemoryPlan] | None:
    problem = _fetching(given, choice)
    plan = solve(problem, PLACING)
    if not fits(plan, problem):
        return None
    if found := check(plan, problem):
        raise InvariantError("; ".join(found))
    return problem, replace(plan, stream=_plan(given, choice))


def _fetching(given: Streaming, choice: Choice) -> Problem:
    """The arena with a buffer for each transfer."""
    buffers = [
        Buffer(weights_id(item.nodes[0]), begin, item.until + 1, item.bytes)
        for item, begin in zip(_streamed(given, choice.resident), choice.begins, strict=True)
    ]
    kept = sum(given.streamable[i].bytes for i in choice.resident)
    return problem_beside(given, (*given.buffers, *buffers), kept)


def _streamed(given: Streaming, resident: Sequence[int]) -> list[Streamable]:
    return [item for i, item in enumerate(given.streamable) if i not in set(resident)]


def _plan(given: Streaming, choice: Choice) -> StreamPlan:
    outer, streamed = outer_of(given.board), _streamed(given, choice.resident)
    assert outer is not None
    line = given.traffic.without(choice.resident).timeline(choice.begins)
    steps = given.schedule.steps
    return StreamPlan(
        memory=outer[0].name,
        fetches=tuple(_fetches(streamed, choice.begins)),
        resident=given.constants - sum(item.bytes for item in streamed),
        code=given.code,
        cycles=round(line.total),
        stalls=tuple((steps[i].node, round(w)) for i, w in enumerate(line.waits) if round(w)),
    )


def _fetches(streamed: Sequence[Streamable], begins: Sequence[int]) -> Iterator[Fetch]:
    source = 0
    for item, begin in zip(streamed, begins, strict=True):
        yield Fetch(item.nodes[0], item.array, source, item.bytes, begin, item.step, item.nodes[1:])
        source += round_up(item.bytes, ALIGN)


def one_by_one(given: Streaming) -> tuple[Problem, MemoryPlan]:
    """Nothing stays and nothing is fetched ahead, which takes least room. Raises FitError with the
    step that lacks most."""
    steps = tuple(item.step for item in given.streamable)
    choice = Choice((), steps, 0.0, 0)
    problem = _fetching(given, choice)
    try:
        plan = plan_of(problem, given.schedule, given.board)
    except FitError as error:
        why = "only weights are fetched from the memory behind it: each step's activations stay"
        raise FitError(error.what, why=(*error.why, why), hints=error.hints) from None
    return problem, replace(plan, stream=_plan(given, choice))

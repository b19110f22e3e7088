"""Networks that do not fit with all weights: some of them lie in the memory behind the arena's and
are fetched while the network runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from deployer.allocate.allocate import check, fits, plan_of, solve
from deployer.allocate.exact import Work
from deployer.allocate.portfolio import Effort
from deployer.allocate.problem import Problem, round_up
from deployer.analysis.launch import launches
from deployer.analysis.liveness import lifetimes
from deployer.board.model import Board
from deployer.codegen.call import array_key
from deployer.codegen.constants import constant_arrays, weight_layout
from deployer.errors import FitError
from deployer.ir.graph import Graph, Node
from deployer.ir.plan import Buffer, MemoryPlan, Schedule, Step
from deployer.ir.stream import Fetch, StreamPlan, weights_id
from deployer.ir.verify import InvariantError
from deployer.pipeline.fit import harness_reserve, input_bytes, some_arena_fits
from deployer.pipeline.options import Job
from deployer.pipeline.scheduled import scheduled
from deployer.restructure.board_cost import model_of
from deployer.restructure.cost import whole_cost
from deployer.tile.chunks import divides, in_chunks
from deployer.tile.layer import Layer
from deployer.tile.room import outer_of, room_of, tiled_layer
from deployer.tile.search import best_tiling
from deployer.tile.stream import Choice, Traffic, Transfer, choose, link_cycles

ALIGN = 8  # bytes, of arrays in the outer memory
CODE, CODE_A_STEP = 30 << 10, 640  # estimated: harness, port, kernels; of a generated step
MARGINS = (0.0, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64)  # of the room, left to gaps
SHARES = (2, 3, 4, 5, 6, 8, 12)  # parts of a layer's weights that are to fit at once
LEAST = 32 << 10  # bytes for weights that make fetching worth while
_PLACING = Effort(proof_nodes=0, nodes=0, tries=0, work=Work(0, 0, 0, 0))


@dataclass(frozen=True)
class Streamable:
    """Weights that a step in tiles copies to the innermost memory, wherever they lie."""

    step: int
    node: str
    array: str
    bytes: int


@dataclass(frozen=True, eq=False)
class Streaming:
    """A schedule on a board whose arena's memory is filled from an outer one."""

    schedule: Schedule
    board: Board

    @cached_property
    def streamable(self) -> tuple[Streamable, ...]:
        graph, room = self.schedule.graph, room_of(self.board)
        nodes, found = {node.name: node for node in graph.nodes}, []
        for step, key, array in constant_arrays(self.schedule):
            node, layout = nodes[step.node], weight_layout(step)
            if layout and key == array_key(node, node.inputs[1], layout):
                layer = tiled_layer(graph, node, step.kernel, room)
                if layer is not None and layer.group_bytes:
                    found.append(Streamable(step.index, node.name, key, round_up(array.nbytes, 4)))
        return tuple(found)

    @cached_property
    def constants(self) -> int:
        """Bytes of all constants."""
        found = {key: array.nbytes for _, key, array in constant_arrays(self.schedule)}
        return sum(round_up(size, ALIGN) for size in found.values())

    @property
    def memory(self) -> str:
        return self.board.place.arena[0]

    @property
    def code(self) -> int:
        return CODE + CODE_A_STEP * len(self.schedule.steps)

    @property
    def room(self) -> int:
        """Bytes for the arena and for weights that could be fetched."""
        board, graph = self.board, self.schedule.graph
        fixed = self.constants - sum(item.bytes for item in self.streamable)
        used = dict(harness_reserve(board)).get(self.memory, 0)
        used += input_bytes(graph) if board.place.data == self.memory else 0
        used += fixed if board.place.weights == self.memory else 0
        used += self.code if board.place.text == self.memory else 0
        return (board.memory(self.memory).size - used) // 4 * 4

    @cached_property
    def buffers(self) -> tuple[Buffer, ...]:
        """Of the arena, without weights."""
        scratch = {step.node: step.scratch for step in self.schedule.steps}
        return lifetimes(self.schedule.graph, scratch)

    @cached_property
    def alive(self) -> tuple[int, ...]:
        """Bytes of ``buffers`` by step."""
        levels = np.zeros(max(len(self.schedule.steps), 1), np.int64)
        for buffer in self.buffers:
            levels[buffer.lower : buffer.upper] += round_up(buffer.size, 4)
        return tuple(levels.tolist())

    @cached_property
    def cycles(self) -> tuple[float, ...]:
        """Estimated, of each step."""
        nodes = {node.name: node for node in self.schedule.graph.nodes}
        known: dict[Layer, float] = {}
        return tuple(self._cycles(step, nodes[step.node], known) for step in self.schedule.steps)

    def _cycles(self, step: Step, node: Node, known: dict[Layer, float]) -> float:
        graph, room = self.schedule.graph, room_of(self.board)
        layer = tiled_layer(graph, node, step.kernel, room)
        if layer is None or room is None:
            whole = whole_cost(graph, node, model_of(self.board)(graph, node))
            return whole / self.board.cores if step.kernel else 0.0
        if layer not in known:
            tiling = best_tiling(layer, room)
            known[layer] = float(tiling.costs.cycles) if tiling else 0.0
        return known[layer]

    @cached_property
    def traffic(self) -> Traffic:
        """Everything fetched."""
        outer = outer_of(self.board)
        assert outer is not None
        moved = [
            Transfer(item.step, item.bytes, link_cycles(outer[1], item.bytes))
            for item in self.streamable
        ]
        entries = [launch.steps[0].index for launch in launches(self.schedule)]
        return Traffic(self.cycles, self.alive, moved, entries)


def streaming(schedule: Schedule, board: Board) -> Streaming | None:
    """None where nothing can be fetched."""
    if outer_of(board) is None or board.place.weights != board.place.arena[0]:
        return None
    found = Streaming(schedule, board)
    return found if found.streamable else None


def scheduled_to_fit(job: Job, graph: Graph) -> Schedule:
    """The schedule of ``graph``; where weights are to be fetched, with the layers in parts that
    have too many for the room there is."""
    found = scheduled(job, graph)
    given = streaming(found, job.target)
    if given is None or resident_fits(given):
        return found
    counts = chunk_counts(given)
    return scheduled(job, in_chunks(graph, counts)) if counts else found


def fits_somehow(job: Job, found: Schedule) -> bool:
    """Whether the arena has room, with weights that are fetched if need be."""
    if some_arena_fits(found, job.board):
        return True
    given = streaming(found, job.target)
    return given is not None and max(given.alive) + LEAST <= given.room


def resident_fits(given: Streaming) -> bool:
    """Whether the arena has room beside all weights."""
    problem = _problem(given, given.buffers, sum(item.bytes for item in given.streamable))
    return problem.capacities[0][1] >= 0 and fits(solve(problem, _PLACING), problem)


def stream(given: Streaming) -> tuple[Problem, MemoryPlan]:
    """The arena with the weights that are fetched, and when. Raises FitError when a step has no
    room for its own weights beside what is alive."""
    for margin in MARGINS:
        choice = choose(given.traffic, int(given.room * (1 - margin)))
        if choice is None:
            break
        for begins in (choice.begins, given.traffic.without(choice.resident).latest(choice.begins)):
            found = _placed(given, replace(choice, begins=begins))
            if found is not None:
                return found
    return _refused(given)


def _placed(given: Streaming, choice: Choice) -> tuple[Problem, MemoryPlan] | None:
    streamed = _streamed(given, choice.resident)
    kept = sum(given.streamable[i].bytes for i in choice.resident)
    buffers = [
        Buffer(weights_id(item.node), begin, item.step + 1, item.bytes)
        for item, begin in zip(streamed, choice.begins, strict=True)
    ]
    problem = _problem(given, (*given.buffers, *buffers), kept)
    plan = solve(problem, _PLACING)
    if not fits(plan, problem):
        return None
    if found := check(plan, problem):
        raise InvariantError("; ".join(found))
    return problem, replace(plan, stream=_plan(given, choice, streamed))


def _streamed(given: Streaming, resident: Sequence[int]) -> list[Streamable]:
    return [item for i, item in enumerate(given.streamable) if i not in set(resident)]


def _plan(given: Streaming, choice: Choice, streamed: Sequence[Streamable]) -> StreamPlan:
    outer = outer_of(given.board)
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
        yield Fetch(item.node, item.array, source, item.bytes, begin, item.step)
        source += round_up(item.bytes, ALIGN)


def _problem(given: Streaming, buffers: Sequence[Buffer], kept: int) -> Problem:
    """``kept``: bytes of weights that stay."""
    return Problem(tuple(buffers), ((given.memory, given.room - kept),))


def _refused(given: Streaming) -> tuple[Problem, MemoryPlan]:
    """The error of the step that lacks most, each with its own weights alone."""
    own = [
        Buffer(weights_id(item.node), item.step, item.step + 1, item.bytes)
        for item in given.streamable
    ]
    problem = _problem(given, (*given.buffers, *own), 0)
    try:
        return problem, plan_of(problem, given.schedule, given.board)
    except FitError as error:
        why = "only weights are fetched from the memory behind it: each step's activations stay"
        raise FitError(error.what, why=(*error.why, why), hints=error.hints) from None


def chunk_counts(given: Streaming) -> dict[str, int]:
    """Into how many parts each layer is divided: of the ways of ``_counts`` the one of fewest
    estimated cycles. More parts are fetched further ahead, and cost a step each."""
    return min((_counts(given, share) for share in SHARES), key=lambda one: _total(given, one))


def _counts(given: Streaming, share: int) -> dict[str, int]:
    """As many parts as let ``share`` of them lie beside the step's activations; two, the current
    weights and the next, are paper 004's Eq. 5."""
    found, nodes = {}, {node.name: node for node in given.schedule.graph.nodes}
    for item in given.streamable:
        limit = max(given.room - given.alive[item.step], 0) // share
        if item.bytes > limit > 0 and divides(nodes[item.node]):
            found[item.node] = -(-item.bytes // limit)
    return found


def _total(given: Streaming, counts: Mapping[str, int]) -> float:
    outer, steps = outer_of(given.board), {step.node: step.index for step in given.schedule.steps}
    assert outer is not None
    parts = {steps[name]: count for name, count in counts.items()}
    traffic = given.traffic.divided(parts, outer[1])
    more = len(traffic.cycles) - len(steps)
    choice = choose(traffic, given.room - CODE_A_STEP * more)
    return sum(traffic.cycles) + choice.stalled if choice else float("inf")

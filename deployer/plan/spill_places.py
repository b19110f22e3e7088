"""Places of spilled values in the memory behind the arena's: below the copy of the inputs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from deployer.allocate import Problem, round_up, solve
from deployer.analysis import step_nodes
from deployer.board import Board
from deployer.errors import FitError
from deployer.ir import Buffer, ConcatAttrs, Graph, MemoryPlan, Schedule, Spill, SpillPlan
from deployer.plan.fit import input_bytes
from deployer.plan.inputs import WORD_BYTES
from deployer.tile import outer_of
from deployer.units import format_bytes


def with_spill_places(schedule: Schedule, plan: MemoryPlan, board: Board) -> MemoryPlan:
    """``plan`` with a place for each value that ``schedule`` spills. Raises FitError where the
    outer memory is too small."""
    buffers, outer = tuple(spill_buffers(schedule.graph)), outer_of(board)
    if not buffers:
        return plan
    if outer is None:
        raise FitError(f"{board.name} has no memory to spill values to")
    memory, room = outer[0], _room(schedule.graph, plan, outer[0].size)
    found = solve(Problem(buffers, ((memory.name, room),)))
    if found.arena > room:
        raise FitError(
            f"{schedule.graph.name} does not fit {memory.name!r} on {board.name}",
            why=[f"values that are spilled need {format_bytes(found.arena)} of {room:,}"],
            hints=["a smaller input: these tensors shrink with it"],
        )
    begin = memory.size - round_up(input_bytes(schedule.graph), WORD_BYTES) - found.arena
    graph = schedule.graph
    places = (_spills(graph, p.buffer.id, begin + p.offset) for p in found.placements)
    return replace(plan, spills=SpillPlan(memory.name, tuple(chain.from_iterable(places))))


def _room(graph: Graph, plan: MemoryPlan, size: int) -> int:
    """Bytes beside the inputs, and weights that may have been sent there."""
    weights = plan.prefetch.bytes if plan.prefetch else 0
    return size - round_up(input_bytes(graph), WORD_BYTES) - round_up(weights, WORD_BYTES)


def spill_buffers(graph: Graph) -> Iterator[Buffer]:
    """Of each spilled value that is no part of another, from the step that writes first to it until
    after the last that fetches rows of it; its size in whole words."""
    steps = {node.name: index for index, node in enumerate(step_nodes(graph))}
    inside = {part for name in graph.spilled for part in _parts(graph, name)}
    for name in (node.output for node in graph.nodes if node.output in graph.spilled - inside):
        first = min(steps[graph.producer[part].name] for part in (name, *_parts(graph, name)))
        last = max(steps[node.name] for node in graph.consumers[name])
        yield Buffer(name, first, last + 1, round_up(graph.values[name].bytes, WORD_BYTES))


def _parts(graph: Graph, name: str) -> tuple[str, ...]:
    """What a spilled value consists of, in the order of its rows; nothing where it is no Concat."""
    node = graph.producer[name]
    return node.inputs if isinstance(node.attrs, ConcatAttrs) else ()


def _spills(graph: Graph, name: str, offset: int) -> Iterator[Spill]:
    """The value ``name`` from ``offset`` on, and its parts."""
    yield Spill(name, offset, graph.values[name].bytes)
    for part in _parts(graph, name):
        yield Spill(part, offset, graph.values[part].bytes)
        offset += graph.values[part].bytes

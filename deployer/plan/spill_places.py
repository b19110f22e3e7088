"""Places of spilled values in the memory behind the arena's: below the copy of the inputs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from deployer.allocate import Problem, round_up, solve
from deployer.analysis import step_nodes
from deployer.board import Board
from deployer.errors import FitError
from deployer.ir import Buffer, Graph, MemoryPlan, Schedule, Spill, SpillPlan
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
    for name, parts in _whole_values(graph).items():
        first = min(steps[graph.producer[part].name] for part in (name, *parts))
        last = max(steps[node.name] for node in graph.consumers[name])
        yield Buffer(name, first, last + 1, round_up(graph.values[name].bytes, WORD_BYTES))


def _whole_values(graph: Graph) -> dict[str, tuple[str, ...]]:
    """Spilled values that are no parts, with their parts in the order of their rows."""
    made = {name: graph.producer[name] for name in graph.spilled}
    joins = {name: node.inputs for name, node in made.items() if node.op == "Concat"}
    parts = {part for inputs in joins.values() for part in inputs}
    names = (node.output for node in graph.nodes if node.output in made)
    return {name: joins.get(name, ()) for name in names if name not in parts}


def _spills(graph: Graph, name: str, offset: int) -> Iterator[Spill]:
    """The value ``name`` from ``offset`` on, and its parts."""
    yield Spill(name, offset, graph.values[name].bytes)
    for part in _whole_values(graph)[name]:
        yield Spill(part, offset, graph.values[part].bytes)
        offset += graph.values[part].bytes

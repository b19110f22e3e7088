"""Why a network does not fit a board, all of it at once, and how far it is from fitting."""

from __future__ import annotations

import math
from collections.abc import Iterator

from deployer.allocate import Problem, alive_text, free_rooms, peak_step
from deployer.analysis import CODE_RESERVE_BYTES, FitReport, FitRow, graph_cost, largest_weights
from deployer.board import Board
from deployer.errors import FitError
from deployer.ir import Graph, Schedule
from deployer.plan.fit import STATIC_RESERVE_BYTES
from deployer.units import format_bytes

_MIN_PIXELS = 8  # pixels of an axis worth proposing
_MIN_CHANNEL_SHARE = 0.1  # share of the channels worth proposing
_MARGIN_SHARE = 0.95  # gaps of a divided arena, channels rounded up


def refusal(schedule: Schedule, board: Board, problem: Problem, report: FitReport) -> FitError:
    """Every memory that is too small by how much, what is alive at the peak, the largest weights.

    Hints are for this network and board; sizes in them are estimated.
    """
    full = [row for row in report.rows if row.excess > 0]
    names = [row.memory for row in full] or list(problem.memories)
    return FitError(
        f"{schedule.graph.name} does not fit {' and '.join(map(repr, names))} on {board.name}",
        why=list(_why(schedule, board, problem, full)),
        hints=list(_hints(schedule.graph, board, problem, full)),
    )


def with_hint(error: FitError, hint: str) -> FitError:
    return FitError(error.what, why=error.why, hints=(*error.hints, hint), reasons=error.reasons)


def _why(schedule: Schedule, board: Board, problem: Problem, full: list[FitRow]) -> Iterator[str]:
    yield from map(row_line, full)
    if not full:
        yield f"no way was found to divide an arena of {format_bytes(problem.bound)}"
    if _arena_counts(board, full):
        yield f"most is alive {peak_step(schedule, problem)}"
        yield f"alive together: {alive_text(schedule, problem)}"
        if len(problem.capacities) > 1:
            yield free_rooms(board, problem)
    if board.place.weights in {row.memory for row in full}:
        yield f"largest weights: {largest_weights(graph_cost(schedule.graph))}"


def row_line(row: FitRow) -> str:
    """What a memory needs, of what it has."""
    need = f"needs {format_bytes(row.used)} of {format_bytes(row.size)}"
    return f"{row.memory} {need} ({row.excess:,} too many): {row.holds}"


def _arena_counts(board: Board, full: list[FitRow]) -> bool:
    """Whether the arena is part of what is too much."""
    return not full or bool({row.memory for row in full} & set(board.place.arena))


def _hints(graph: Graph, board: Board, problem: Problem, full: list[FitRow]) -> Iterator[str]:
    over = {row.memory for row in full}
    if _arena_counts(board, full) or board.place.data in over:
        yield from _smaller_input(graph, board, problem)
    if board.place.weights in over:
        yield from _fewer_channels(graph, board, problem)
    flat = [m for m in board.memories if "w" in m.access and m.level == 0]
    unused = [m for m in flat if m.name not in board.place.arena]
    for memory in unused:
        moved = min(memory.size, problem.bound)
        if over <= set(board.place.arena) and all(row.excess <= moved for row in full):
            yield f"give 'arena' a second memory in the board file: {memory.name}"


def _smaller_input(graph: Graph, board: Board, problem: Problem) -> Iterator[str]:
    """Arena and input copy go with the area of the input, all else in those memories stays."""
    copied = sum(graph.values[name].bytes for name in graph.inputs)
    memories = {*board.place.arena, board.place.data}
    room = sum(board.memory(name).size for name in memories) - STATIC_RESERVE_BYTES
    if board.place.stack in memories:
        room -= board.stack_bytes
    if board.place.weights in memories:
        room -= graph_cost(graph).bytes + CODE_RESERVE_BYTES
    share = _MARGIN_SHARE * min(1.0, math.sqrt(max(room, 0) / (problem.bound + copied)))
    if share <= 0:
        return
    first = graph.values[graph.inputs[0]].shape
    image = first[1:3] if len(first) == 4 and len(graph.inputs) == 1 else ()
    size = tuple(int(extent * share) for extent in image)
    if min(size, default=0) < _MIN_PIXELS:
        yield "a smaller input or fewer channels: the tensors above shrink with both"
        return
    told, was = ("x".join(map(str, extents)) for extents in (size, image))
    yield (
        f"an input of about {told} instead of {was}: the arena shrinks with the area "
        "(estimated); with deployer zoo: --resolution"
    )


def _fewer_channels(graph: Graph, board: Board, problem: Problem) -> Iterator[str]:
    """Weights go with the square of the channels; biases, requantization and an arena in the same
    memory in proportion."""
    memory, cost = board.place.weights, graph_cost(graph)
    room = board.memory(memory).size
    room -= CODE_RESERVE_BYTES if board.place.text == memory else 0
    room -= board.stack_bytes if board.place.stack == memory else 0
    if board.place.data == memory:
        room -= STATIC_RESERVE_BYTES + sum(graph.values[name].bytes for name in graph.inputs)
    linear = cost.requant + sum(node.bias for node in cost.nodes)
    square = cost.bytes - linear
    linear += problem.bound if memory in board.place.arena else 0
    if not square:
        return
    share = (math.sqrt(linear**2 + 4 * square * max(room, 0)) - linear) / (2 * square)
    share = math.floor(100 * _MARGIN_SHARE * share) / 100
    if share < _MIN_CHANNEL_SHARE:
        yield "another network: this one's weights are far too many"
        return
    yield (
        f"about {share:g} times the channels in every layer: weights shrink with the square "
        "(estimated); with deployer zoo: --width"
    )

"""How each step is cut into tiles. Kernels work in the arena itself, so one tile is enough."""

from __future__ import annotations

from deployer.analysis.fit import require_arena_memories
from deployer.analysis.liveness import owners
from deployer.board.model import Board
from deployer.errors import FitError, UsageError
from deployer.ir.plan import MemoryPlan, Schedule, StepTiles, TilePlan
from deployer.units import format_bytes


def tile(schedule: Schedule, plan: MemoryPlan, board: Board) -> TilePlan:
    """One tile per step: the whole output, where ``plan`` has put it.

    The plan may have been edited by hand. Raises UsageError when it lacks a step's output or names
    a memory ``board`` does not give to arenas, FitError when it needs more than a memory has.
    """
    _check_heights(schedule, plan, board)
    graph, owner = schedule.graph, owners(schedule.graph)
    placed = {p.buffer.id for p in plan.placements}
    outputs = {node.name: node.output for node in graph.nodes}
    tiles = []
    for step in schedule.steps:
        output = outputs[step.node]
        if owner[output] not in placed:
            raise UsageError(f"the memory plan has no place for {output}, written by {step.node}")
        tiles.append(StepTiles(step.node, graph.values[output].shape))
    return TilePlan(tuple(tiles))


def _check_heights(schedule: Schedule, plan: MemoryPlan, board: Board) -> None:
    require_arena_memories(plan, board)
    for memory, height in plan.heights:
        if height > (size := board.memory(memory).size):
            raise FitError(
                f"{schedule.graph.name} does not fit {memory!r} on {board.name}",
                why=[f"the plan needs {format_bytes(height)} of {format_bytes(size)}"],
                hints=["change the offsets, or run again from the allocate stage"],
            )

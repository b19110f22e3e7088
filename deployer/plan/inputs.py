"""Where an image has the harness's copy of the inputs."""

from __future__ import annotations

from deployer.allocate import round_up
from deployer.board import OUTER, Memory
from deployer.ir import Graph, MemoryPlan
from deployer.plan.fit import copy_memory, input_bytes
from deployer.plan.request import PlanRequest

WORD_BYTES = 4  # what the engine of an outer memory moves at least


def input_copy_memory(graph: Graph, plan: MemoryPlan, request: PlanRequest) -> str:
    """The memory the linker puts the copy into; that of the data where it puts none."""
    found = _memory(graph, plan, request)
    return request.target.place.data if found is None or found.level == OUTER else found.name


def input_copy_address(graph: Graph, plan: MemoryPlan, request: PlanRequest) -> int | None:
    """Its address in the memory behind the arena's, whose last bytes it takes; None where cores
    can read the copy."""
    found = _memory(graph, plan, request)
    if found is None or found.level != OUTER:
        return None
    return found.size - round_up(input_bytes(graph), WORD_BYTES)


def _memory(graph: Graph, plan: MemoryPlan, request: PlanRequest) -> Memory | None:
    """None on a twin that lacks the board's."""
    name = copy_memory(graph, plan.heights, request.board)
    return next((m for m in request.target.memories if m.name == name), None)

"""Where an image has the harness's copy of the inputs."""

from __future__ import annotations

from deployer.allocate.problem import round_up
from deployer.board.model import OUTER, Memory
from deployer.ir.graph import Graph
from deployer.ir.plan import MemoryPlan
from deployer.pipeline.fit import copy_memory, input_bytes
from deployer.pipeline.options import Job

WORD = 4  # bytes the engine of an outer memory moves at least


def linked_copy(job: Job, graph: Graph, plan: MemoryPlan) -> str:
    """The memory the linker puts the copy into; that of the data where it puts none."""
    found = _memory(job, graph, plan)
    return job.target.place.data if found is None or found.level == OUTER else found.name


def outer_copy(job: Job, graph: Graph, plan: MemoryPlan) -> int | None:
    """Its address in the memory behind the arena's, whose last bytes it takes; None where cores
    can read the copy."""
    found = _memory(job, graph, plan)
    if found is None or found.level != OUTER:
        return None
    return found.size - round_up(input_bytes(graph), WORD)


def _memory(job: Job, graph: Graph, plan: MemoryPlan) -> Memory | None:
    """None on a twin that lacks the board's."""
    name = copy_memory(graph, plan.heights, job.board)
    return next((m for m in job.target.memories if m.name == name), None)

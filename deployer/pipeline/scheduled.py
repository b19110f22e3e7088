"""The schedule stage: order, kernels, and bytes that values share where that serves the board."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from deployer.allocate.allocate import solve
from deployer.allocate.problem import Problem
from deployer.analysis.liveness import lifetimes
from deployer.ir.graph import Graph
from deployer.ir.plan import MemoryPlan, Schedule
from deployer.ir.share import OVER, VIEW
from deployer.pipeline.fit import some_arena_fits
from deployer.pipeline.options import Job
from deployer.pipeline.somehow import fits_somehow
from deployer.pipeline.streaming import weights_overflow
from deployer.pipeline.tiled import kernel_choice, tiled_lead
from deployer.schedule.moves import Lead
from deployer.schedule.order import KernelChoice, schedule, shared
from deployer.tile.room import room_of

ON, OFF = "on", "off"
Way = Callable[[Job, Graph], Schedule]


def scheduled(job: Job, graph: Graph) -> Schedule:
    """The steps of ``graph``. Values share bytes if the job says so, unless the arena would be
    larger, or would no longer divide among the board's memories. Outputs of steps in tiles lie over
    their inputs only where memory is short, since that binds the order of the tiles."""
    first, *others = ways(job)
    found = first(job, graph)
    if others and not fits_somehow(job, found):
        return others[0](job, graph)
    return found


def ways(job: Job) -> tuple[Way, ...]:
    """To schedule a graph, those first that bind least."""
    if job.options.share == OFF or room_of(job.target) is None:
        return (loosely,)
    return (tightly,) if job.options.optimize == "ram" else (loosely, tightly)


def loosely(job: Job, graph: Graph) -> Schedule:
    """With the shares that kernels allow on whole tensors. Weights that are fetched take what is
    idle, where they must be."""
    choose = kernel_choice(job.target)
    if job.options.share == OFF:
        return schedule(graph, job.target.kernels, choose=choose)
    if weights_overflow(job.target, graph):
        return schedule(
            graph, job.target.kernels, choose=choose, share=True, cores=_cores(job), copying=False
        )
    return _sharing(job, graph, choose)


def tightly(job: Job, graph: Graph) -> Schedule:
    """With those that bind the order of tiles, too."""
    choose = kernel_choice(job.target)
    return _sharing(job, graph, choose, tiled_lead(job.target, graph, choose, _cores(job)))


def _sharing(job: Job, graph: Graph, choose: KernelChoice, lead: Lead | None = None) -> Schedule:
    """``lead``: None for what kernels allow on whole tensors."""
    families, cores = job.target.kernels, _cores(job)
    found = schedule(graph, families, choose=choose, share=True, cores=cores, lead=lead)
    if not found.graph.shares:
        return found
    plain = schedule(graph, families, choose=choose)
    if plain_arena(found) > plain_arena(plain):
        return plain
    if some_arena_fits(found, job.board) or not some_arena_fits(plain, job.board):
        return found
    return plain


def sharing(job: Job) -> Callable[[Graph], Graph] | None:
    """What gives a graph its shares without moving a node, None when nothing is to be shared."""
    if job.options.share == OFF:
        return None
    return lambda graph: shared(graph, job.target.kernels, cores=_cores(job))


def _cores(job: Job) -> int:
    """Of the board and of its twin: one plan serves both."""
    return max(job.board.cores, job.target.cores)


def plain_arena(found: Schedule, graph: Graph | None = None) -> int:
    """Bytes in one memory of the steps, of ``graph`` with the same nodes if given."""
    scratch = {step.node: step.scratch for step in found.steps}
    buffers = lifetimes(found.graph if graph is None else graph, scratch)
    total = sum(buffer.size + 4 for buffer in buffers)
    return solve(Problem(buffers, (("arena", total),))).arena


def share_facts(found: Schedule, plan: MemoryPlan) -> dict[str, Any] | None:
    """What shares bytes, None when nothing does. ``copies_saved`` are bytes that no longer move."""
    graph = found.graph
    if not graph.shares:
        return None
    kinds = Counter("in place" if s.kind == OVER and not s.lead else s.kind for s in graph.shares)
    nodes = {node.name: node for node in graph.nodes}
    moved = (
        min(graph.values[s.value].bytes, graph.values[nodes[s.node].output].bytes)
        for s in graph.shares
        if s.kind == VIEW
    )
    return {
        "arena_before": plain_arena(found, replace(graph, shares=())),
        "arena": plain_arena(found) if plan.stream else plan.arena,
        "in_place": kinds["in place"],
        "overlaps": kinds[OVER],
        "views": kinds[VIEW],
        "inside": kinds["inside"],
        "copies_saved": sum(moved),
    }

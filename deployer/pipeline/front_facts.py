"""The front of a network on a board: plans that no other beats in both arena and time."""

from __future__ import annotations

from deployer.analysis import graph_cost
from deployer.board import Board
from deployer.errors import UsageError
from deployer.ir import Graph
from deployer.pipeline.facts import FasterFacts, FrontRow
from deployer.pipeline.job import Job
from deployer.plan import FrontPlan, Search, balanced, faster, has_front


def front_rows(job: Job, search: Search) -> list[FrontRow]:
    """By falling arena. Raises UsageError for a board without a cost table or one of tiles, and for
    kernels or regions that are fixed."""
    if not has_front(job.request):
        raise UsageError(
            f"no front of plans for {job.board.name} with these options",
            why=[
                "it needs a cost table, an arena that no tiles are cut from, --choose cost and "
                "--restructure auto"
            ],
            hints=["--optimize ram and --optimize balanced give single plans"],
        )
    plans = search.front()
    best = balanced(plans, None)
    return [_row(plan, job.board, plan is best) for plan in plans]


def _row(plan: FrontPlan, board: Board, is_balanced: bool) -> FrontRow:
    return {
        "arena": plan.arena,
        "flash": graph_cost(plan.graph).bytes,
        "cycles": round(plan.cycles),
        "ms": 1000 * plan.cycles / board.clock_hz,
        "regions": len(plan.graph.regions),
        "balanced": is_balanced,
    }


def faster_facts(search: Search, graph: Graph) -> FasterFacts | None:
    """Where the smallest arena costs far more time than some bytes more."""
    found = faster(search, graph)
    if found is None:
        return None
    least, other = found
    return {
        "cycles": round(least.cycles),
        "arena": other.arena,
        "faster_cycles": round(other.cycles),
    }

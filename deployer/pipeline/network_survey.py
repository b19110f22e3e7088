"""What ``deployer check`` tells of a network: layers, costs, and each memory's use."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from deployer.allocate import Problem
from deployer.analysis import Profile, graph_cost, held, lifetimes, profile_of, step_nodes
from deployer.board import Board
from deployer.errors import DeployerError, FitError
from deployer.ir import Graph, MemoryPlan, Schedule
from deployer.pipeline.explained import Explained, explained
from deployer.pipeline.facts import (
    ArenaFacts,
    ByteFacts,
    FlashFacts,
    JudgedFacts,
    KernelCodeFacts,
    MemoryRow,
    NearestFacts,
    RefusalFacts,
    SurveyFacts,
    SurveyRow,
    TileFacts,
)
from deployer.pipeline.front_facts import faster_facts, front_rows
from deployer.pipeline.integer_network import outline
from deployer.pipeline.job import Job
from deployer.pipeline.manifest import (
    copied_facts,
    model_facts,
    node_rows,
    prefetch_facts,
    spill_facts,
    wait_facts,
)
from deployer.pipeline.plan_facts import profile_facts, restructure_facts, share_facts
from deployer.plan import (
    Nearest,
    PlanRequest,
    Search,
    Verdict,
    code_limit,
    copies_wanted,
    flash_points,
    judge,
    kernel_code,
    require_kernels,
    restructured_by,
    scheduled,
    search_of,
    smallest_arena,
    with_copies,
)
from deployer.schedule import constant_arrays
from deployer.tile import room_of, tile_needs
from deployer.units import FigureKind


@dataclass(frozen=True)
class Survey:
    """JSON facts, complete even when the network does not fit; then ``refusal`` says why.

    ``profile`` is the memory over time of the plain network and of what runs, or, when it does not
    fit, of the plan that would.
    """

    facts: SurveyFacts
    refusal: FitError | None
    schedule: Schedule
    plan: MemoryPlan
    profile: Profile


def survey(job: Job, *, smallest: bool = False, front: bool = False) -> Survey:
    """Schedule the network and judge it; nothing is written. With ``smallest`` the memories are
    searched with which it would still run, with ``front`` the plans that none beats. Raises
    ModelError with every reason when something is not supported."""
    plain = outline(job)
    require_kernels(plain, step_nodes(plain), job.target.kernels)
    search = search_of(plain, job.request)
    graph, limit = _restructured(search)
    schedule = scheduled(graph, job.request)
    verdict = judge(schedule, job.board)
    why = explained(job, plain, verdict, limit) if limit or verdict.refusal else None
    if not why and copies_wanted(job.options.limits):
        verdict = with_copies(verdict, schedule, job.board)
    near = why.near if why else None
    known = ("as scheduled" if why else "as it runs", schedule)
    title, shown = (f"with {near.options}", near.schedule) if near else known
    rooms = (("--ram", job.options.ram),) if job.options.ram else verdict.problem.capacities
    profile = profile_of(plain, shown, title=title, rooms=rooms)
    facts: SurveyFacts = {
        "schema": 1,
        "board": job.board.name,
        "model": model_facts(plain),
        **_facts(job, plain, schedule, verdict, why),
        "profile": profile_facts(profile),
        "smallest": smallest_facts(job, plain, schedule) if smallest else None,
        "front": front_rows(job, search) if front else None,
        "faster": None if why else faster_facts(search, graph),
    }
    return Survey(facts, why.refusal if why else None, schedule, verdict.plan, profile)


def _facts(
    job: Job, plain: Graph, schedule: Schedule, verdict: Verdict, why: Explained | None
) -> JudgedFacts:
    graph = schedule.graph
    return {
        "fits": why is None,
        "operators": dict(sorted(Counter(node.op for node in step_nodes(graph)).items())),
        "bytes": byte_facts(graph),
        "arena": arena_facts(schedule, verdict),
        "flash": flash_facts(plain, schedule, job.request),
        "kernel_code": kernel_code_facts(schedule, job.request),
        "tiles": tile_facts(schedule, job.target),
        "copied_weights": copied_facts(verdict.plan),
        "streamed": prefetch_facts(verdict.plan),
        "spilled": spill_facts(graph, verdict.plan),
        "restructured": restructure_facts(schedule, verdict.plan, job.board),
        "shared": share_facts(schedule, verdict.plan),
        "memories": memory_rows(verdict),
        "layers": layer_rows(schedule, verdict),
        "refusal": refusal_facts(why.refusal) if why else None,
        "nearest": nearest_facts(why.near) if why and why.near else None,
        "other_boards": why.others if why else (),
    }


def memory_rows(verdict: Verdict) -> list[MemoryRow]:
    return [
        {
            "memory": row.memory,
            "used": row.used,
            "size": row.size,
            "kind": row.kind,
            "holds": row.holds,
            "excess": row.excess,
        }
        for row in verdict.report.rows
    ]


def nearest_facts(near: Nearest) -> NearestFacts:
    """The plan that lacks least, and the options that reach it."""
    arena, fits = near.verdict.plan.arena, near.verdict.refusal is None
    rows = memory_rows(near.verdict)
    return {"options": near.options, "fits": fits, "arena": arena, "memories": rows}


def _restructured(search: Search) -> tuple[Graph, FitError | None]:
    """The plain graph with the reason when nothing fits ``--ram``."""
    try:
        return restructured_by(search), None
    except FitError as error:
        return search.plain, error


def refusal_facts(error: DeployerError) -> RefusalFacts:
    """An error for programs."""
    return {
        "exit_status": error.exit_status,
        "what": error.what,
        "why": error.why,
        "hints": error.hints,
        "reasons": [dict(reason) for reason in error.reasons],
    }


def byte_facts(graph: Graph) -> ByteFacts:
    """Bytes of constants, and of all activations as if none shared a place."""
    cost, plain = graph_cost(graph), replace(graph, shares=())
    sizes = [buffer.size for buffer in lifetimes(plain)]
    return {
        "weights": cost.weights,
        "requantization": cost.requant,
        "activations": sum(sizes),
        "largest_activation": max(sizes, default=0),
    }


def arena_facts(schedule: Schedule, verdict: Verdict) -> ArenaFacts:
    """``peak`` is the first step of most bytes, and ``bound`` what is alive there."""
    plan, problem = verdict.plan, verdict.problem
    step = problem.peak.step
    names = held(schedule.graph, step)
    return {
        "bytes": plan.arena,
        "by_memory": dict(plan.heights),
        "bound": plan.bound,
        "status": plan.status,
        "waits": wait_facts(plan),
        "room": dict(problem.capacities),
        "peak": {
            "step": step,
            "layer": schedule.steps[step].node if step < len(schedule.steps) else "",
            "alive": {names.get(b.id, b.id): b.size for b in problem.peak.alive},
        },
    }


def flash_facts(plain: Graph, schedule: Schedule, request: PlanRequest) -> FlashFacts:
    """``points``: of the network whole, whatever runs piece by piece."""
    points = flash_points(plain, request)
    return {
        "constants": sum(
            {name: array.nbytes for _, name, array in constant_arrays(schedule)}.values()
        ),
        "kind": FigureKind.ESTIMATED,
        "points": [
            {
                "bytes": point.bytes,
                "cycles": point.cycles,
                "kernel": point.kernel,
                "layers": point.layers,
            }
            for point in points
        ],
    }


def kernel_code_facts(schedule: Schedule, request: PlanRequest) -> KernelCodeFacts | None:
    """None where the code of some kernels is not known."""
    size = kernel_code(schedule, request.target)
    return None if size is None else {"bytes": size, "limit": code_limit(request)}


def tile_facts(schedule: Schedule, board: Board) -> TileFacts | None:
    """Of boards whose kernels work on tiles: the steps that do, and bytes of the innermost memory
    with which all could whose kernels can be cut, its stacks included."""
    needs = tile_needs(schedule, board)
    if not needs:
        return None
    room = room_of(board)
    assert room is not None
    size, steps = board.memory(room.memory).size, schedule.steps
    return {
        "memory": room.memory,
        "steps": sum(need <= size for need in needs.values()),
        "whole": [s.node for s in steps if s.kernel and needs.get(s.node, size + 1) > size],
        "smallest": max(needs.values()),
    }


def smallest_facts(job: Job, plain: Graph, schedule: Schedule) -> dict[str, int | None]:
    """Bytes by memory: of the arena's, None where much more would not do, and of the one for tiles,
    on boards that have it, for all steps that can be cut."""
    tiles = tile_facts(schedule, job.target)
    arena = {job.board.place.arena[0]: smallest_arena(plain, job.request)}
    return arena | ({tiles["memory"]: tiles["smallest"]} if tiles else {})


def layer_rows(schedule: Schedule, verdict: Verdict) -> list[SurveyRow]:
    """The steps with their share of all MACs, bytes alive, and whether it is the peak."""
    rows = node_rows(schedule)
    total = sum(row["macs"] for row in rows)
    return [
        {
            **row,
            "macs_share": row["macs"] / total if total else 0.0,
            "alive_bytes": _alive(verdict.problem, row["index"]),
            "peak": row["index"] == verdict.problem.peak.step,
        }
        for row in rows
    ]


def _alive(problem: Problem, step: int) -> int:
    return sum(b.size for b in problem.buffers if b.lower <= step < b.upper)

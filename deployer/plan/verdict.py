"""Does a schedule fit a board, and if not, every reason at once: RAM and flash."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from deployer.allocate import Problem, fits, round_up, solve
from deployer.analysis import FitReport, too_small
from deployer.board import Board, board_names, load_board
from deployer.errors import DeployerError, FitError, ModelError
from deployer.ir import Graph, MemoryPlan, Node, Schedule
from deployer.kernelset import select
from deployer.plan.constants import with_copies_placed
from deployer.plan.fetchable import ALIGN_BYTES, PrefetchProblem, prefetch_problem
from deployer.plan.fit import arena_problem, survey_fit
from deployer.plan.prefetch import prefetched
from deployer.plan.refusal import refusal
from deployer.plan.room import resident_fits
from deployer.plan.spill_places import with_spill_places
from deployer.schedule import schedule as order_steps
from deployer.tile import outer_of
from deployer.units import format_bytes


@dataclass(frozen=True)
class Verdict:
    """``plan`` is the lowest known one when it does not fit; ``refusal`` is None when it does."""

    problem: Problem
    plan: MemoryPlan
    report: FitReport
    refusal: FitError | None


def judge(schedule: Schedule, board: Board) -> Verdict:
    """Plan the memory of ``schedule`` on ``board``, whether it fits or not."""
    given, refused = prefetch_problem(schedule, board), None
    if given is not None and not resident_fits(given):
        try:
            problem, placed = prefetched(given)
            plan = with_spill_places(schedule, placed, board)
            report = survey_fit(schedule, plan, board)
            return Verdict(problem, plan, report, _too_small(schedule, board, report))
        except FitError as error:
            refused = _with_outer(error, given)
    found = _judged(schedule, board)
    return replace(found, refusal=refused) if refused else found


def _with_outer(error: FitError, given: PrefetchProblem) -> FitError:
    """``error`` and, where it is short too, the memory that weights are fetched from."""
    outer = outer_of(given.board)
    weights = sum(round_up(item.bytes, ALIGN_BYTES) for item in given.fetchable)
    if outer is None or weights <= outer[0].size:
        return error
    size, where = outer[0].size, f" on {given.board.name}"
    need = f"{outer[0].name} needs {format_bytes(weights)} of {format_bytes(size)}"
    line = f"{need} ({weights - size:,} too many): weights {weights:,}"
    what = error.what.replace(where, f" and {outer[0].name!r}{where}")
    return FitError(what, why=[*error.why, line], hints=error.hints)


def _too_small(schedule: Schedule, board: Board, report: FitReport) -> FitError | None:
    return None if report.fits else too_small(schedule.graph, board, report)


def _judged(schedule: Schedule, board: Board) -> Verdict:
    """With all weights there from the start."""
    problem = arena_problem(schedule, board)
    plan = with_spill_places(schedule, solve(problem), board)
    report = survey_fit(schedule, _overflowing(plan, problem), board)
    fine = report.fits and fits(plan, problem)
    return Verdict(
        problem, plan, report, None if fine else refusal(schedule, board, problem, report)
    )


def with_copies(verdict: Verdict, schedule: Schedule, board: Board) -> Verdict:
    """The verdict on a network that fits, with the constants that start-up copies."""
    plan = with_copies_placed(schedule, verdict.plan, board)
    return replace(verdict, plan=plan, report=survey_fit(schedule, plan, board))


def _overflowing(plan: MemoryPlan, problem: Problem) -> MemoryPlan:
    """A plan that is too large fills the memories the arena may lie in, and the first takes what is
    left over, so that its excess is what is missing."""
    if fits(plan, problem):
        return plan
    (first, _), *others = problem.capacities
    beside = sum(room for _, room in others)
    heights = ((first, plan.arena - beside), *others) if plan.arena > beside else plan.heights
    return replace(plan, heights=tuple(heights))


def boards_that_fit(graph: Graph, *, but: str) -> tuple[str, ...]:
    """Shipped boards, other than ``but``, on which all of ``graph`` fits as it is."""
    return tuple(name for name in board_names() if name != but and _fits(graph, name))


def require_kernels(graph: Graph, nodes: Iterable[Node], families: tuple[str, ...]) -> None:
    """Raise ModelError with every node that no kernel of ``families`` computes."""
    refused = [(node, error) for node in nodes if (error := _no_kernel(graph, node, families))]
    if not refused:
        return
    raise ModelError(
        f"{graph.name}: no kernel computes {len(refused)} of {len(graph.nodes)} nodes",
        why=[f"{node.op} {node.name!r}: {'; '.join(error.why)}" for node, error in refused],
        hints=list(dict.fromkeys(hint for _, error in refused for hint in error.hints)),
        reasons=[_reason(node, error) for node, error in refused],
    )


def _reason(node: Node, error: ModelError) -> dict[str, str]:
    came = f", from {', '.join(node.origin)}" if node.origin else ""
    problem = f"no kernel: {'; '.join(error.why)}{came}"
    place = {"node": node.name, "operator": node.op, "module": ""}
    return {**place, "problem": problem, "hint": "; ".join(error.hints)}


def _no_kernel(graph: Graph, node: Node, families: tuple[str, ...]) -> ModelError | None:
    try:
        select(families, graph, node)
    except ModelError as error:
        return error
    return None


def _fits(graph: Graph, name: str) -> bool:
    try:
        board = load_board(name)
        return _judged(order_steps(graph, board.kernels), board).refusal is None
    except DeployerError:  # a broken board file, or no kernel there
        return False

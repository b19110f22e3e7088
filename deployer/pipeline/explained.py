"""Why a network does not fit, in full: every memory that is short, the best plan found and the
options that reach it, the boards that would do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from deployer.analysis import FitRow
from deployer.board import Board
from deployer.errors import DeployerError, FitError, LimitError
from deployer.ir import Graph
from deployer.pipeline.artifacts import QUANTIZE, SCHEDULE
from deployer.pipeline.integer_network import outline
from deployer.pipeline.job import Job
from deployer.pipeline.store import Store
from deployer.plan import (
    Nearest,
    Verdict,
    activations_short,
    boards_that_fit,
    judge,
    nearest,
    restructured,
    row_line,
    scheduled,
    with_hint,
)
from deployer.units import format_bytes


@dataclass(frozen=True)
class Explained:
    """``near``: the best plan that other options reach, None where none of them is better;
    ``others``: boards on which the network fits as it is."""

    refusal: FitError
    near: Nearest | None
    others: tuple[str, ...]


def explained(job: Job, plain: Graph, verdict: Verdict, limit: FitError | None = None) -> Explained:
    """Of the integer network ``plain``, refused by ``verdict`` on the requested plan, or by
    ``limit`` since no plan keeps to ``--ram``."""
    near = None if limit else nearest(plain, verdict, job.request)
    refused = _limited(limit, job, verdict) if limit else _told(verdict, near, job.board)
    others = boards_that_fit(plain, but=job.board.name)
    hints = [*_narrower(job)]
    if others:
        hints.append(f"another board: as it is, it fits {', '.join(others)}")
    for hint in hints:
        refused = with_hint(refused, hint)
    return Explained(refused, near, others)


def reason(job: Job, store: Store, error: FitError) -> FitError:
    """``error`` of a stage in full, where it is that the network does not fit; else as it is."""
    limited = isinstance(error, LimitError)
    if (limited and job.options.mixed) or not (limited or type(error) is FitError):
        return error
    plain = store.get(QUANTIZE).graph
    schedule = scheduled(plain, job.request) if limited else store.get(SCHEDULE)
    verdict = judge(schedule, job.board)
    if verdict.refusal is None and not limited:
        return error
    return explained(job, plain, verdict, error if limited else None).refusal


def _told(verdict: Verdict, near: Nearest | None, board: Board) -> FitError:
    """With the figures of the plan that lacks least, and the options that reach it."""
    refusal = verdict.refusal
    assert refusal is not None
    if near is None:
        return refusal
    best, short = near.verdict.refusal, _short(verdict, board)
    if best is None:
        arena = format_bytes(near.verdict.plan.arena)
        return with_hint(refusal, f"restructured it fits: {near.options} (arena {arena})")
    own, rest = _parted(best, near.verdict)
    if activations_short(near.verdict, board):
        needs = ", ".join(f"{row.memory} needs {format_bytes(row.used)}" for row in short)
        told = f"with {near.options}, the best plan found; without it {needs}"
        return FitError(best.what, why=[*own, told, *rest], hints=best.hints)
    enough = [_enough(near, row) for row in short]
    why = [*_parted(refusal, verdict)[0], *enough, *rest]
    return FitError(refusal.what, why=why, hints=best.hints)


def _short(verdict: Verdict, board: Board) -> list[FitRow]:
    """The memories without room for the arena or what lies beside it."""
    flash = {board.place.weights} - set(board.place.arena)
    return [row for row in verdict.report.rows if row.excess > 0 and row.memory not in flash]


def _parted(error: FitError, verdict: Verdict) -> tuple[list[str], list[str]]:
    """The lines that say how much of a memory is needed, and the others."""
    rows = {row_line(row) for row in verdict.report.rows}
    first = [line for line in error.why if line in rows]
    return first, [line for line in error.why if line not in rows]


def _enough(near: Nearest, row: FitRow) -> str:
    rows = {found.memory: found for found in near.verdict.report.rows}
    used = format_bytes(rows[row.memory].used)
    return f"{row.memory} is enough with {near.options}: {used} of {format_bytes(row.size)}"


def _limited(limit: FitError, job: Job, verdict: Verdict) -> FitError:
    """``limit`` with the memories beside the arena's that are short, too."""
    known = {row.memory for row in _short(verdict, job.board)}
    rows = [row for row in verdict.report.rows if row.excess > 0 and row.memory not in known]
    return FitError(limit.what, why=[*limit.why, *map(row_line, rows)], hints=limit.hints)


def _narrower(job: Job) -> Iterator[str]:
    """Where int16 activations were requested."""
    if job.options.bits == 8 and not job.options.bits_of:
        return
    options = replace(job.options, bits=8, bits_of=(), mixed=None)
    there = replace(job, options=options, notice=lambda text: None)
    try:
        graph = restructured(outline(there), there.request)
    except DeployerError:
        return
    if judge(scheduled(graph, there.request), job.board).refusal is None:
        more = ", without --bits-of" if job.options.bits_of else ""
        yield f"with int8 activations it fits: --bits 8{more}"

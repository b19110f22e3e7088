"""The options that bring a network that does not fit closest to it, and what it needs with them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from deployer.analysis.fit import constant_reserve
from deployer.board.model import Board
from deployer.ir.graph import Graph
from deployer.ir.plan import Schedule
from deployer.pipeline.options import Job, Options
from deployer.pipeline.restructured import restructured
from deployer.pipeline.streamed import scheduled_to_fit
from deployer.pipeline.streaming import fetches
from deployer.pipeline.verdict import Verdict, judge

TIME, RAM = "time", "ram"


@dataclass(frozen=True)
class Nearest:
    """``options``: as a user writes them beside those of the job."""

    options: str
    schedule: Schedule
    verdict: Verdict


def nearest(job: Job, plain: Graph, asked: Verdict) -> Nearest | None:
    """The plan that lacks least of those that options to restructure give for the integer network
    ``plain``: the first whose activations fit, that of least work before others. None where the
    plan ``asked`` for lacks no more, or, on boards that fetch weights, where none fits."""
    if not activations_short(asked, job.board) or _no_room(plain, job.board):
        return None
    find = _first_that_fits if fetches(job.board) else _least_lacking
    return find(job, plain, asked)


def _least_lacking(job: Job, plain: Graph, asked: Verdict) -> Nearest | None:
    best, least = None, lacking(asked)
    for options in _ways(job.options):
        found = _planned(job, plain, options)
        if lacking(found.verdict) < least:
            best, least = found, lacking(found.verdict)
        if not activations_short(found.verdict, job.board):
            return _milder(job, plain, found)
    return best


def _first_that_fits(job: Job, plain: Graph, asked: Verdict) -> Nearest | None:
    """The last way leaves activations the least room: where not even that fits none is planned of
    the others."""
    *milder, last = _ways(job.options)
    found = _planned(job, plain, last)
    if activations_short(found.verdict, job.board):
        return None
    others = (_planned(job, plain, options) for options in milder)
    fitting = (other for other in others if not activations_short(other.verdict, job.board))
    return _milder(job, plain, next(fitting, found))


def activations_short(verdict: Verdict, board: Board) -> bool:
    """Whether a memory is too small that is not only for weights and code, or the arena finds no
    places."""
    over = {row.memory for row in verdict.report.rows if row.excess > 0}
    return verdict.refusal is not None and over != {board.place.weights} - set(board.place.arena)


def _no_room(graph: Graph, board: Board) -> bool:
    """Whether constants and code leave the arena nothing, whatever its plan."""
    reserve, first = constant_reserve(graph, board), board.place.arena[0]
    return not fetches(board) and reserve.get(first, 0) > board.memory(first).size


def lacking(verdict: Verdict) -> int:
    """Bytes, of all memories."""
    return sum(max(row.excess, 0) for row in verdict.report.rows)


def _ways(given: Options) -> Iterator[Options]:
    """Other than ``given``, the most work last."""
    for goal, by_rows in ((TIME, given.stream_input), (RAM, given.stream_input), (RAM, True)):
        options = replace(given, restructure="auto", ram=None, optimize=goal, stream_input=by_rows)
        if options != given:
            yield options


def _milder(job: Job, plain: Graph, found: Nearest) -> Nearest:
    """By rows with less work where that fits as well."""
    options = replace(job.options, restructure="auto", ram=None, optimize=TIME, stream_input=True)
    if "--stream-input" not in found.options or found.options == text_of(options, job.options):
        return found
    other = _planned(job, plain, options)
    return found if activations_short(other.verdict, job.board) else other


def _planned(job: Job, plain: Graph, options: Options) -> Nearest:
    there = replace(job, options=options)
    schedule = scheduled_to_fit(there, restructured(there, plain))
    return Nearest(text_of(options, job.options), schedule, judge(schedule, job.board))


def text_of(options: Options, given: Options) -> str:
    """What to add to a command line with ``given``."""
    words = [
        ("--restructure auto", options.restructure != given.restructure),
        (f"--optimize {options.optimize}", options.optimize != given.optimize),
        ("--stream-input", options.stream_input != given.stream_input),
        ("without --ram", options.ram != given.ram),
    ]
    return " ".join(word for word, differs in words if differs)

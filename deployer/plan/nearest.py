"""The options that bring a network that does not fit closest to it, and what it needs with them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from deployer.analysis import constant_reserve
from deployer.board import Board
from deployer.choices import Objective, Restructuring
from deployer.ir import Graph, Schedule
from deployer.plan.fetchable import fetches_weights
from deployer.plan.front import has_front
from deployer.plan.prefetch import scheduled
from deployer.plan.regions import hopeless, no_arena, restructured_by, search_of
from deployer.plan.request import Limits, PlanRequest
from deployer.plan.verdict import Verdict, judge

TIME, RAM = Objective.TIME, Objective.RAM
_AUTO = Restructuring.AUTO


@dataclass(frozen=True)
class Nearest:
    """``options``: as a user writes them beside those of the request."""

    options: str
    schedule: Schedule
    verdict: Verdict


def nearest(plain: Graph, requested: Verdict, request: PlanRequest) -> Nearest | None:
    """The plan that lacks least of those that options to restructure give for the integer network
    ``plain``: the first whose activations fit, that of least work before others. None where the
    ``requested`` plan lacks no more, or, on boards that fetch weights, where none fits."""
    board = request.board
    if not activations_short(requested, board) or _no_room(plain, board) or no_arena(plain, board):
        return None
    find = _first_that_fits if fetches_weights(request.board) else _least_lacking
    return find(plain, requested, request)


def _least_lacking(plain: Graph, requested: Verdict, request: PlanRequest) -> Nearest | None:
    best, least = None, lacking(requested)
    for limits in _worth_a_search(plain, request):
        found = _planned(plain, request.within(limits), request.limits)
        if lacking(found.verdict) < least:
            best, least = found, lacking(found.verdict)
        if not activations_short(found.verdict, request.board):
            return _milder(plain, found, request)
    return best


def _first_that_fits(plain: Graph, requested: Verdict, request: PlanRequest) -> Nearest | None:
    """The last way leaves activations the least room: where not even that fits none is planned of
    the others."""
    *milder, last = _variants(request.limits)
    found = _planned(plain, request.within(last), request.limits)
    if activations_short(found.verdict, request.board):
        return None
    others = (_planned(plain, request.within(limits), request.limits) for limits in milder)
    fitting = (other for other in others if not activations_short(other.verdict, request.board))
    return _milder(plain, next(fitting, found), request)


def activations_short(verdict: Verdict, board: Board) -> bool:
    """Whether a memory is too small that is not only for weights and code, or the arena finds no
    places."""
    over = {row.memory for row in verdict.report.rows if row.excess > 0}
    return verdict.refusal is not None and over != {board.place.weights} - set(board.place.arena)


def _no_room(graph: Graph, board: Board) -> bool:
    """Whether constants and code leave the arena nothing, whatever its plan."""
    reserve, first = constant_reserve(graph, board), board.place.arena[0]
    return not fetches_weights(board) and reserve.get(first, 0) > board.memory(first).size


def lacking(verdict: Verdict) -> int:
    """Bytes, of all memories."""
    return sum(max(row.excess, 0) for row in verdict.report.rows)


def _variants(given: Limits) -> Iterator[Limits]:
    """Other than ``given``, the most work last."""
    for goal, by_rows in ((TIME, given.stream_input), (RAM, given.stream_input), (RAM, True)):
        limits = replace(given, restructure=_AUTO, ram=None, optimize=goal, stream_input=by_rows)
        if limits != given:
            yield limits


def _worth_a_search(plain: Graph, request: PlanRequest) -> Iterator[Limits]:
    """Of the ways, none by rows where weights alone are too many: others tell about as much, and a
    large network is searched once."""
    asked, too_many = request.limits, hopeless(plain, request.board)
    for limits in _variants(asked):
        if not too_many or limits.stream_input == asked.stream_input:
            yield limits


def _milder(plain: Graph, found: Nearest, request: PlanRequest) -> Nearest:
    """By rows with less work where that fits as well."""
    given = request.limits
    limits = replace(given, restructure=_AUTO, ram=None, optimize=TIME, stream_input=True)
    if "--stream-input" not in found.options or found.options == text_of(limits, given):
        return found
    other = _planned(plain, request.within(limits), request.limits)
    return found if activations_short(other.verdict, request.board) else other


def _planned(plain: Graph, request: PlanRequest, given: Limits) -> Nearest:
    schedule = scheduled(_searched(plain, request), request)
    return Nearest(text_of(request.limits, given), schedule, judge(schedule, request.board))


def _searched(plain: Graph, request: PlanRequest) -> Graph:
    """The graph of ``request``; where weights alone are too many, which no plan changes, a small
    one that takes less searching."""
    search, least = search_of(plain, request), request.limits.optimize == RAM
    if least and has_front(request) and hopeless(search.fast, request.board):
        return search.least().graph
    return restructured_by(search)


def text_of(limits: Limits, given: Limits) -> str:
    """What to add to a command line with ``given``."""
    words = [
        ("--restructure auto", limits.restructure != given.restructure),
        (f"--optimize {limits.optimize}", limits.optimize != given.optimize),
        ("--stream-input", limits.stream_input != given.stream_input),
        ("without --ram", limits.ram != given.ram),
    ]
    return " ".join(word for word, differs in words if differs)

"""Kernels whose code fits the bytes that an image has for it: those that gain least by a byte of
their code yield to others, which other layers have anyway or which are less code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from deployer.board import Board
from deployer.choices import KernelPolicy, Objective
from deployer.errors import LimitError
from deployer.ir import Graph, Schedule
from deployer.kernelset import by_symbol, code_table, table_bytes
from deployer.plan.aliases import aliased, arena_in_one_memory
from deployer.plan.code_offers import Offers, code_offers
from deployer.plan.flash import replaced
from deployer.plan.kernels import fits_limits
from deployer.plan.request import PlanRequest
from deployer.schedule import schedule
from deployer.units import format_bytes

Chosen = dict[str, str]  # kernels by node


def code_limit(request: PlanRequest) -> int | None:
    """Bytes that kernels may take: what the user grants, else what the board states; where flash is
    a budget or the goal, which constants are planned by, only the user's."""
    cost, limits = request.board.cost, request.limits
    if cost is None or limits.choose == KernelPolicy.FIRST:
        return None
    if limits.kernel_code is not None:
        return limits.kernel_code
    by_flash = limits.flash is not None or limits.optimize == Objective.FLASH
    return None if by_flash else cost.kernel_code


def kernel_code(steps: Schedule, board: Board) -> int | None:
    """Bytes of code of the kernels of ``steps``; None where those of ``board`` are not known."""
    table = code_table(board.kernels)
    return None if table is None else _bytes(_kernels(steps).values(), table)


def within_code(graph: Graph, request: PlanRequest) -> Graph:
    """``graph`` with kernels of at most the code that the request allows, or as little as is found.
    Its arena stays within the limits, and for a goal of RAM as it is."""
    limit = code_limit(request)
    if limit is None or not _exceeds(graph, request, limit):
        return graph
    plans = (_replaced(graph, request, limit, lean=lean) for lean in (False, True))
    return next((plan for plan in plans if _fits_as_before(plan, graph, request)), graph)


def require_code(graph: Graph, request: PlanRequest) -> Graph:
    """``graph``; raises LimitError where its kernels take more code than the user grants."""
    limit = request.limits.kernel_code
    if limit is None or code_limit(request) is None or not _exceeds(graph, request, limit):
        return graph
    size = kernel_code(aliased(graph, request), request.target) or 0
    raise LimitError(
        f"the kernels of {graph.name} do not fit {format_bytes(limit)}",
        why=[f"this plan needs {format_bytes(size)}, the least that was found"],
        hints=[f"--kernel-code {-(-size // 1024)}KiB"],
    )


def _kernels(steps: Schedule) -> Chosen:
    return {step.node: step.kernel for step in steps.steps if step.kernel}


def _bytes(kernels: Iterable[str], table: Mapping[str, int]) -> int:
    return table_bytes(map(by_symbol, set(kernels)), table)


def _exceeds(graph: Graph, request: PlanRequest, limit: int) -> bool:
    """Whether kernels take more code than ``limit``. Which copies values that share bytes save is
    only asked where that could decide."""
    board = request.target
    most = kernel_code(schedule(graph, board.kernels), board)
    if most is None or most <= limit:
        return False
    return (kernel_code(aliased(graph, request), board) or 0) > limit


def _fits_as_before(found: Graph, graph: Graph, request: PlanRequest) -> bool:
    if request.limits.optimize in (Objective.RAM, Objective.BALANCED):
        before, after = (arena_in_one_memory(aliased(g, request)) for g in (graph, found))
        if after > before:
            return False
    return fits_limits(found, request) or not fits_limits(graph, request)


def _replaced(graph: Graph, request: PlanRequest, limit: int, *, lean: bool) -> Graph:
    """``lean``: by kernels of no more scratch."""
    table = code_table(request.target.kernels)
    assert table is not None
    own = _kernels(aliased(graph, request))
    choice = _Choice(code_offers(graph, own, request, lean=lean), own, table)
    chosen = choice.improved(choice.reduced(own, limit), limit)
    changed = {name: by_symbol(kernel) for name, kernel in chosen.items() if kernel != own[name]}
    return replaced(graph, changed, request.target.kernels)


@dataclass(frozen=True, eq=False)
class _Choice:
    """``offers``: kernels that each node may have; ``own``: those that it has; ``table``: bytes of
    code by file."""

    offers: Offers
    own: Chosen
    table: Mapping[str, int]

    def reduced(self, chosen: Chosen, limit: int) -> Chosen:
        """One kernel after another given up, whose code gains fewest cycles a byte."""
        while self._bytes(chosen) > limit:
            best = min(self._given_up(chosen), key=lambda move: move[0], default=None)
            if best is None:
                break
            chosen = best[1]
        return chosen

    def improved(self, chosen: Chosen, limit: int) -> Chosen:
        """With kernels put back, or put in that no node had, others given up for them, while that
        saves cycles."""
        known = sorted({kernel for offers in self.offers.values() for kernel in offers})
        while True:
            put_back = (self._with(chosen, kernel) for kernel in known)
            reduced = (self.reduced(plan, limit) for plan in put_back)
            fitting = [plan for plan in reduced if self._bytes(plan) <= limit]
            best = min(fitting, key=self._cycles, default=chosen)
            if self._cycles(best) >= self._cycles(chosen):
                return chosen
            chosen = best

    def _given_up(self, chosen: Chosen) -> Iterator[tuple[float, Chosen]]:
        """Cycles lost for a byte, and the plan, of every kernel that others can replace: those that
        are there, or one more."""
        size, cycles = self._bytes(chosen), self._cycles(chosen)
        for kernel in sorted(set(chosen.values())):
            for plan in self._without(chosen, kernel):
                saved = size - self._bytes(plan)
                if saved > 0:
                    yield max(self._cycles(plan) - cycles, 0.0) / saved, plan

    def _without(self, chosen: Chosen, kernel: str) -> Iterator[Chosen]:
        nodes = [name for name, each in chosen.items() if each == kernel]
        kept = set(chosen.values()) - {kernel}
        more = {symbol for name in nodes for symbol in self.offers[name]} - kept - {kernel}
        for symbols in (kept, *(kept | {symbol} for symbol in sorted(more))):
            able = {name: [s for s in self.offers[name] if s in symbols] for name in nodes}
            if all(able.values()):
                yield chosen | {name: self._cheapest(name, able[name]) for name in nodes}

    def _cheapest(self, name: str, symbols: list[str]) -> str:
        return min(symbols, key=lambda symbol: self.offers[name][symbol])

    def _with(self, chosen: Chosen, kernel: str) -> Chosen:
        """``kernel`` wherever it takes fewer cycles, or is what the node had."""
        better = (
            name
            for name, offers in self.offers.items()
            if kernel in offers and offers[kernel] < offers[chosen[name]]
        )
        had = (name for name, symbol in self.own.items() if symbol == kernel)
        return chosen | dict.fromkeys((*better, *had), kernel)

    def _cycles(self, chosen: Chosen) -> float:
        return sum(self.offers[name][kernel] for name, kernel in chosen.items())

    def _bytes(self, chosen: Chosen) -> int:
        return _bytes(chosen.values(), self.table)

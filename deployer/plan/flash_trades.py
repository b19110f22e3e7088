"""What flash buys: the least that constants take, and what each kernel of larger weights saves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from deployer.analysis import step_nodes
from deployer.choices import KernelPolicy, Objective
from deployer.ir import Graph
from deployer.plan.flash import Cut, constant_bytes, cuts, with_cuts
from deployer.plan.kernels import fastest, kernel_cost
from deployer.plan.request import Limits, PlanRequest

MAX_TRADES = 6


@dataclass(frozen=True)
class FlashPoint:
    """``bytes`` of constants with which an inference takes so many ``cycles`` (estimated). It
    differs from the point before by ``kernel`` in so many ``layers``; "" at the least flash."""

    bytes: int
    cycles: int
    kernel: str = ""
    layers: int = 0


def flash_points(graph: Graph, request: PlanRequest) -> tuple[FlashPoint, ...]:
    """From the least flash to that of the fastest kernels that the memories hold: kernel by kernel,
    first where a byte saves most cycles. () where the board states no cost."""
    if request.board.cost is None:
        return ()
    fast = fastest(graph, request.within(_unlimited(request)))
    left = cuts(fast, request.target.kernels, kernel_cost(request.board))
    points = [_point(fast, left, request)]
    for group in sorted(_groups(left), key=_worth, reverse=True):
        left = [cut for cut in left if cut not in group]
        point = _point(fast, left, request)
        points.append(replace(point, kernel=group[0].instead_of, layers=len(group)))
    return tuple(points)


def _groups(found: Sequence[Cut]) -> list[list[Cut]]:
    """By kernel and bytes, or by kernel alone where that would be too many to look at."""
    for key in (_kernel_and_bytes, _kernel):
        groups = [list(group) for _, group in groupby(sorted(found, key=key), key=key)]
        if len(groups) <= MAX_TRADES:
            break
    return groups


def _kernel_and_bytes(cut: Cut) -> tuple[str, int]:
    return cut.instead_of, cut.bytes


def _kernel(cut: Cut) -> tuple[str, int]:
    return cut.instead_of, 0


def _unlimited(request: PlanRequest) -> Limits:
    return replace(request.limits, flash=None, optimize=Objective.TIME, choose=KernelPolicy.COST)


def _worth(group: Sequence[Cut]) -> float:
    """Cycles saved by a byte."""
    return sum(cut.cycles for cut in group) / sum(cut.bytes for cut in group)


def _point(graph: Graph, left: Sequence[Cut], request: PlanRequest) -> FlashPoint:
    families, cost = request.target.kernels, kernel_cost(request.board)
    found = with_cuts(graph, left, families)
    cycles = sum(cost(found, node) for node in step_nodes(found))
    return FlashPoint(constant_bytes(found, families), round(cycles))

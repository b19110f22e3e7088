"""The heuristics by name (paper 001, table 2.2), and a bag of them: the best of several (2.2.3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from deployer.allocate.heuristics.b2sp import b2sp
from deployer.allocate.heuristics.coloring import coloring
from deployer.allocate.heuristics.orders import by_breadth, by_size, by_start, by_start_down
from deployer.allocate.heuristics.placing import Fit, best_fit, first_fit, place
from deployer.allocate.instance import Instance, Packing
from deployer.allocate.solver_name import SolverName

Heuristic = Callable[[Instance], tuple[int, ...]]
Order = Callable[[Instance], list[int]]


def _one_by_one(instance: Instance, order: Order, fit: Fit) -> tuple[int, ...]:
    """One offset per buffer, placed in ``order``, each into the gap that ``fit`` chooses."""
    return place(instance, order(instance), fit)


HEURISTICS: dict[SolverName, Heuristic] = {
    SolverName.GS_FIRST: partial(_one_by_one, order=by_size, fit=first_fit),
    SolverName.GS_BEST: partial(_one_by_one, order=by_size, fit=best_fit),
    SolverName.GB_FIRST: partial(_one_by_one, order=by_breadth, fit=first_fit),
    SolverName.GB_BEST: partial(_one_by_one, order=by_breadth, fit=best_fit),
    SolverName.B2SP: b2sp,
    SolverName.FIFO_FIRST: partial(_one_by_one, order=by_start, fit=first_fit),
    SolverName.FIFO_BEST: partial(_one_by_one, order=by_start, fit=best_fit),
    SolverName.LIFO_FIRST: partial(_one_by_one, order=by_start_down, fit=first_fit),
    SolverName.LIFO_BEST: partial(_one_by_one, order=by_start_down, fit=best_fit),
    SolverName.COLORING: coloring,
}
BAG = (  # the paper's, table 2.6
    SolverName.GS_FIRST,
    SolverName.GS_BEST,
    SolverName.GB_FIRST,
    SolverName.GB_BEST,
    SolverName.B2SP,
)


def bag(instance: Instance, names: Sequence[SolverName] = BAG) -> Packing:
    """The lowest packing of ``names``, the first of equals; stops at the live-set bound."""
    best: Packing | None = None
    for name in names:
        offsets = HEURISTICS[name](instance)
        height = instance.height(offsets)
        if best is None or height < best.height:
            best = Packing(offsets, height, name)
        if height == instance.bound:
            break
    if best is None:
        raise ValueError("no heuristic named")
    return best

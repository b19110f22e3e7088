"""The heuristics by name (paper 001, table 2.2), and a bag of them: the best of several (2.2.3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from deployer.allocate.heuristics.b2sp import b2sp
from deployer.allocate.heuristics.coloring import coloring
from deployer.allocate.heuristics.orders import by_breadth, by_size, by_start, by_start_down
from deployer.allocate.heuristics.placing import Fit, best_fit, first_fit, place
from deployer.allocate.instance import Instance, Packing

Heuristic = Callable[[Instance], tuple[int, ...]]
Order = Callable[[Instance], list[int]]


def _one_by_one(instance: Instance, order: Order, fit: Fit) -> tuple[int, ...]:
    """One offset per buffer, placed in ``order``, each into the gap that ``fit`` chooses."""
    return place(instance, order(instance), fit)


HEURISTICS: dict[str, Heuristic] = {
    "gs-first": partial(_one_by_one, order=by_size, fit=first_fit),
    "gs-best": partial(_one_by_one, order=by_size, fit=best_fit),
    "gb-first": partial(_one_by_one, order=by_breadth, fit=first_fit),
    "gb-best": partial(_one_by_one, order=by_breadth, fit=best_fit),
    "b2sp": b2sp,
    "fifo-first": partial(_one_by_one, order=by_start, fit=first_fit),
    "fifo-best": partial(_one_by_one, order=by_start, fit=best_fit),
    "lifo-first": partial(_one_by_one, order=by_start_down, fit=first_fit),
    "lifo-best": partial(_one_by_one, order=by_start_down, fit=best_fit),
    "coloring": coloring,
}
BAG = ("gs-first", "gs-best", "gb-first", "gb-best", "b2sp")  # the paper's, table 2.6


def bag(instance: Instance, names: Sequence[str] = BAG) -> Packing:
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

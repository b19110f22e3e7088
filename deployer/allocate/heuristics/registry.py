"""The heuristics by name."""

from __future__ import annotations

from collections.abc import Callable

from deployer.allocate.heuristics.b2sp import b2sp
from deployer.allocate.heuristics.coloring import coloring
from deployer.allocate.heuristics.fifo_best import fifo_best
from deployer.allocate.heuristics.fifo_first import fifo_first
from deployer.allocate.heuristics.gb_best import gb_best
from deployer.allocate.heuristics.gb_first import gb_first
from deployer.allocate.heuristics.gs_best import gs_best
from deployer.allocate.heuristics.gs_first import gs_first
from deployer.allocate.heuristics.lifo_best import lifo_best
from deployer.allocate.heuristics.lifo_first import lifo_first
from deployer.allocate.instance import Instance

Heuristic = Callable[[Instance], tuple[int, ...]]

HEURISTICS: dict[str, Heuristic] = {
    "gs-first": gs_first,
    "gs-best": gs_best,
    "gb-first": gb_first,
    "gb-best": gb_best,
    "b2sp": b2sp,
    "fifo-first": fifo_first,
    "fifo-best": fifo_best,
    "lifo-first": lifo_first,
    "lifo-best": lifo_best,
    "coloring": coloring,
}
BAG = ("gs-first", "gs-best", "gb-first", "gb-best", "b2sp")  # the paper's, table 2.6

"""Solvers by name: what a user chooses, and what a plan tells of its places and of its bound."""

from __future__ import annotations

from deployer.choices import Word


class SolverName(Word):
    """``AUTO``: from cheap to thorough. ``GS_FIRST`` to ``COLORING``: heuristics of paper 001
    (table 2.2), an order and the gap it takes. ``BAG``: the best of several. ``SWEEP`` proves and
    places nothing."""

    AUTO = "auto"
    GS_FIRST = "gs-first"
    GS_BEST = "gs-best"
    GB_FIRST = "gb-first"
    GB_BEST = "gb-best"
    B2SP = "b2sp"
    FIFO_FIRST = "fifo-first"
    FIFO_BEST = "fifo-best"
    LIFO_FIRST = "lifo-first"
    LIFO_BEST = "lifo-best"
    COLORING = "coloring"
    BAG = "bag"
    REPAIR = "repair"
    SEARCH = "search"
    CP_SAT = "cp-sat"
    SWEEP = "sweep"

"""Solvers by name, all with one answer: a packing, and what is proven about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from deployer.allocate import search
from deployer.allocate.exact import solve_exact
from deployer.allocate.heuristics.bag import BAG, HEURISTICS, bag
from deployer.allocate.instance import Instance, Packing, Solution
from deployer.allocate.portfolio import Effort, solve_instance
from deployer.allocate.repair import repair
from deployer.allocate.solver_name import SolverName
from deployer.errors import UsageError, near_hints

Solver = Callable[[Instance, Effort], Solution]


def solver_named(name: str) -> Solver:
    """Raises UsageError listing the names."""
    if name not in SOLVERS:
        raise UsageError(f"unknown solver {name!r}", hints=near_hints(name, SOLVERS))
    return SOLVERS[SolverName(name)]


def _bag(names: Iterable[SolverName], instance: Instance, effort: Effort) -> Solution:
    return Solution(bag(instance, tuple(names)), instance.bound)


def _repair(instance: Instance, effort: Effort) -> Solution:
    return Solution(repair(instance, bag(instance), rounds=effort.rounds), instance.bound)


def _search(instance: Instance, effort: Effort) -> Solution:
    """From the bound up: what is not found at one height is sought at the next possible one."""
    best, bound, nodes = bag(instance), instance.bound, effort.nodes
    while bound < best.height and nodes > 0:
        found = search.pack(instance, bound, nodes)
        nodes -= found.nodes
        if found.offsets is not None:
            best = Packing(found.offsets, instance.height(found.offsets), SolverName.SEARCH)
        elif found.least <= bound:
            break
        bound = min(found.least, best.height)
    return Solution(best, bound, SolverName.SEARCH if bound > instance.bound else "")


def _cp_sat(instance: Instance, effort: Effort) -> Solution:
    return solve_exact(instance, Solution(bag(instance), instance.bound), effort.work)


SOLVERS: dict[SolverName, Solver] = {
    SolverName.AUTO: solve_instance,
    **{name: partial(_bag, (name,)) for name in HEURISTICS},
    SolverName.BAG: partial(_bag, BAG),
    SolverName.REPAIR: _repair,
    SolverName.SEARCH: _search,
    SolverName.CP_SAT: _cp_sat,
}

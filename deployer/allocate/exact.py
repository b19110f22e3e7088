"""The optimum with proof, by CP-SAT.

One Boolean per pair alive together proves quickly that nothing is lower, and what repair has left
open mostly has its optimum above the live set. So that model goes first, briefly; then rectangles,
which find a packing at a given height sooner; then the first model again. Limits count work, not
seconds: the same problem gives the same answer on every machine.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from deployer.allocate.instance import Instance, Packing

SOLVER = "cp-sat"


@dataclass(frozen=True)
class Work:
    """Limits in CP-SAT's deterministic time, of the order of seconds."""

    prove: float = 1.0
    feasible: float = 1.0
    minimise: float = 20.0


@dataclass(frozen=True)
class Solution:
    """The best packing known and the largest height below which there is proven to be none."""

    packing: Packing
    bound: int

    @property
    def optimal(self) -> bool:
        return self.packing.height == self.bound


def solve_exact(instance: Instance, start: Packing, work: Work | None = None) -> Solution:
    """The optimum, or the best that ``work`` allows: never worse than ``start``."""
    work = work or Work()
    if start.height == instance.bound:
        return Solution(start, instance.bound)
    unit = math.gcd(*instance.sizes)
    first = _minimise(instance, unit, start, work.prove)
    if first.optimal:
        return first
    found = _pack_at_bound(instance, unit, work.feasible)
    if found is not None:
        return Solution(found, instance.bound)
    last = _minimise(instance, unit, first.packing, work.minimise)
    return Solution(last.packing, max(first.bound, last.bound))


def _pack_at_bound(instance: Instance, unit: int, limit: float) -> Packing | None:
    """A packing as high as the live-set bound: rectangles of lifetime times size."""
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    offsets = _offset_variables(model, instance, unit, instance.bound)
    spans, bands = [], []
    for i, offset in enumerate(offsets):
        length = instance.uppers[i] - instance.lowers[i]
        spans.append(model.new_fixed_size_interval_var(instance.lowers[i], length, f"t{i}"))
        bands.append(model.new_fixed_size_interval_var(offset, instance.sizes[i] // unit, f"b{i}"))
    model.add_no_overlap_2d(spans, bands)
    solver = new_solver(limit)
    if not has_answer(solver.solve(model)):
        return None
    return _packing(instance, tuple(solver.value(offset) * unit for offset in offsets))


def _minimise(instance: Instance, unit: int, start: Packing, limit: float) -> Solution:
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    offsets = _offset_variables(model, instance, unit, start.height)
    height = model.new_int_var(instance.bound // unit, start.height // unit, "height")
    for i, offset in enumerate(offsets):
        model.add(offset + instance.sizes[i] // unit <= height)
        model.add_hint(offset, start.offsets[i] // unit)
    for pair in instance.conflicts():
        _separate(model, instance, unit, offsets, pair)
    model.minimize(height)
    solver = new_solver(limit)
    answered = has_answer(solver.solve(model))
    bound = max(instance.bound, math.ceil(solver.best_objective_bound - 1e-6) * unit)
    if not answered:
        return Solution(start, instance.bound)
    found = _packing(instance, tuple(solver.value(offset) * unit for offset in offsets))
    return Solution(found if found.height < start.height else start, bound)


def _offset_variables(model: Any, instance: Instance, unit: int, height: int) -> list[Any]:
    return [
        model.new_int_var(0, (height - size) // unit, f"y{i}")
        for i, size in enumerate(instance.sizes)
    ]


def _separate(
    model: Any, instance: Instance, unit: int, offsets: list[Any], pair: tuple[int, int]
) -> None:
    """One of the two lies below the other."""
    i, j = pair
    below = model.new_bool_var(f"p{i}_{j}")
    model.add(offsets[i] + instance.sizes[i] // unit <= offsets[j]).only_enforce_if(below)
    model.add(offsets[j] + instance.sizes[j] // unit <= offsets[i]).only_enforce_if(~below)


def _packing(instance: Instance, offsets: tuple[int, ...]) -> Packing:
    return Packing(offsets, instance.height(offsets), SOLVER)


def new_solver(limit: float) -> Any:
    """A CP-SAT solver that gives the same answer every time."""
    from ortools.sat.python import cp_model

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 0
    solver.parameters.max_deterministic_time = limit
    return solver


def has_answer(status: Any) -> bool:
    from ortools.sat.python import cp_model

    return status in (cp_model.OPTIMAL, cp_model.FEASIBLE)

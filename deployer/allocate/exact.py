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

from deployer.allocate.instance import Instance, Packing, Solution
from deployer.allocate.solver_name import SolverName

_MAX_PAIRS = 3000


@dataclass(frozen=True)
class Work:
    """Limits in CP-SAT's deterministic time, of the order of seconds.

    They hold for up to ``_MAX_PAIRS`` pairs alive together and shrink beyond, where a unit takes
    longer. ``cheapen`` is for the costs of a split; beyond as many pairs there is none.
    """

    prove: float = 1.0
    feasible: float = 1.0
    minimise: float = 8.0
    cheapen: float = 0.2

    def for_pairs(self, count: int) -> Work:
        part = min(1.0, (_MAX_PAIRS / max(count, 1)) ** 1.5)
        cheapen = self.cheapen if count <= _MAX_PAIRS else 0.0  # making the model takes longest
        return Work(self.prove * part, self.feasible * part, self.minimise * part, cheapen)


def solve_exact(instance: Instance, start: Solution, work: Work | None = None) -> Solution:
    """The optimum, or the best that ``work`` allows: never worse than ``start``."""
    work = work or Work()
    found = prove(instance, start, work)
    return found if found.optimal else improve(instance, found, work)


def prove(instance: Instance, start: Solution, work: Work) -> Solution:
    """``start`` if it is optimal, or what the pairwise model makes of it in a short time."""
    if start.optimal:
        return start
    return _minimise(instance, start, work.for_pairs(len(instance.conflicts())).prove)


def improve(instance: Instance, start: Solution, work: Work) -> Solution:
    """Rectangles at the bound, then the pairwise model at length."""
    work = work.for_pairs(len(instance.conflicts()))
    found = _pack_at(instance, start.bound, work.feasible)
    if found is not None:
        return Solution(found, start.bound, start.prover)
    return _minimise(instance, start, work.minimise)


def _pack_at(instance: Instance, height: int, limit: float) -> Packing | None:
    """A packing of that height: rectangles of lifetime times size."""
    if not limit:
        return None
    from ortools.sat.python import cp_model

    model, unit = cp_model.CpModel(), _unit(instance)
    offsets = _offset_variables(model, instance, unit, height)
    spans, bands = [], []
    for i, offset in enumerate(offsets):
        lower, span = instance.lowers[i], instance.spans[i]
        spans.append(model.new_fixed_size_interval_var(lower, span, f"t{i}"))
        bands.append(model.new_fixed_size_interval_var(offset, instance.sizes[i] // unit, f"b{i}"))
    model.add_no_overlap_2d(spans, bands)
    solver = new_solver(limit)
    if not has_answer(solver.solve(model)):
        return None
    return _packing(instance, tuple(solver.value(offset) * unit for offset in offsets))


def _minimise(instance: Instance, start: Solution, limit: float) -> Solution:
    if not limit:
        return start
    from ortools.sat.python import cp_model

    model, unit = cp_model.CpModel(), _unit(instance)
    known = start.packing
    offsets = _offset_variables(model, instance, unit, known.height)
    height = model.new_int_var(-(-start.bound // unit), known.height // unit, "height")
    for i, offset in enumerate(offsets):
        model.add(offset + instance.sizes[i] // unit <= height)
        model.add_hint(offset, known.offsets[i] // unit)
    for pair in instance.conflicts():
        _separate(model, instance, unit, offsets, pair)
    model.minimize(height)
    solver = new_solver(limit)
    if not has_answer(solver.solve(model)):
        return start
    bound = max(start.bound, math.ceil(solver.best_objective_bound - 1e-6) * unit)
    found = _packing(instance, tuple(solver.value(offset) * unit for offset in offsets))
    prover = SolverName.CP_SAT if bound > start.bound else start.prover
    return Solution(found if found.height < known.height else known, bound, prover)


def _unit(instance: Instance) -> int:
    """What every size is a multiple of; some lowest packing has all its offsets so too."""
    return math.gcd(*instance.sizes) or 1


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
    return Packing(offsets, instance.height(offsets), SolverName.CP_SAT)


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


def is_optimal(status: Any) -> bool:
    from ortools.sat.python import cp_model

    return bool(status == cp_model.OPTIMAL)

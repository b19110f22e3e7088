"""Several memories by CP-SAT: the least cost, then the smallest total, within limits of work."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from deployer.allocate.exact import has_answer, is_optimal, new_solver
from deployer.allocate.instance import Instance
from deployer.allocate.solver_name import SolverName
from deployer.allocate.split import Costs, Split, greedy_split, split_of


def best_split(
    instance: Instance,
    capacities: Sequence[int],
    limit: float,
    *,
    costs: Costs = (),
    most: int | None = None,
) -> Split | None:
    """Greedy; CP-SAT when nothing fits so, or when it may save cost. In at most ``most`` bytes if
    that is given."""
    found = greedy_split(instance, capacities, costs, most)
    if found is not None and found.cost == sum(min(row) for row in costs):
        return found
    return exact_split(instance, capacities, limit, costs=costs, most=most, start=found)


def exact_split(
    instance: Instance,
    capacities: Sequence[int],
    limit: float,
    *,
    costs: Costs = (),
    most: int | None = None,
    start: Split | None = None,
) -> Split | None:
    """``start`` or a better split. None when nothing is known to fit."""
    from ortools.sat.python import cp_model

    if not limit:
        return start
    model = cp_model.CpModel()
    unit = math.gcd(*instance.sizes) or 1
    rooms = [capacity // unit for capacity in capacities]
    everyone = range(instance.count)
    choose = [[model.new_bool_var(f"m{i}_{k}") for k in range(len(rooms))] for i in everyone]
    offsets = [model.new_int_var(0, max(rooms), f"y{i}") for i in everyone]
    heights = [model.new_int_var(0, room, f"h{k}") for k, room in enumerate(rooms)]
    _constrain(model, instance, unit, offsets, choose, heights)
    if most is not None:
        model.add(sum(heights) <= most // unit)
    model.minimize(_objective(heights, choose, costs, sum(rooms)))
    if start is not None:
        _hint(model, start, unit, offsets, choose)
    solver = new_solver(limit)
    status = solver.solve(model)
    if not has_answer(status):
        return start
    places = [solver.value(offset) * unit for offset in offsets]
    memories = [[solver.value(b) for b in row].index(1) for row in choose]
    proven = is_optimal(status)
    found = split_of(
        instance, places, memories, costs=costs, solver=SolverName.CP_SAT, proven=proven
    )
    return found if start is None or found.proven or found.rank < start.rank else start


def _constrain(
    model: Any,
    instance: Instance,
    unit: int,
    offsets: list[Any],
    choose: list[list[Any]],
    heights: list[Any],
) -> None:
    for i, size in enumerate(instance.sizes):
        model.add_exactly_one(choose[i])
        for k, here in enumerate(choose[i]):
            model.add(offsets[i] + size // unit <= heights[k]).only_enforce_if(here)
    for i, j in instance.conflicts():
        _separate(model, instance, unit, offsets, choose, (i, j))
    model.add(sum(heights) >= instance.bound // unit)


def _objective(heights: list[Any], choose: list[list[Any]], costs: Costs, room: int) -> Any:
    """One unit of cost outweighs all bytes there are."""
    paid = [
        cost * here
        for row, flags in zip(costs, choose, strict=False)
        for cost, here in zip(row, flags, strict=True)
        if cost
    ]
    return sum(heights) + (room + 1) * sum(paid)


def _hint(model: Any, start: Split, unit: int, offsets: list[Any], choose: list[list[Any]]) -> None:
    for i, offset in enumerate(offsets):
        model.add_hint(offset, start.offsets[i] // unit)
        for k, here in enumerate(choose[i]):
            model.add_hint(here, start.memories[i] == k)


def _separate(
    model: Any,
    instance: Instance,
    unit: int,
    offsets: list[Any],
    choose: list[list[Any]],
    pair: tuple[int, int],
) -> None:
    """In one memory, one of the two lies below the other."""
    i, j = pair
    below, above = model.new_bool_var(f"b{i}_{j}"), model.new_bool_var(f"a{i}_{j}")
    model.add(offsets[i] + instance.sizes[i] // unit <= offsets[j]).only_enforce_if(below)
    model.add(offsets[j] + instance.sizes[j] // unit <= offsets[i]).only_enforce_if(above)
    for here, there in zip(choose[i], choose[j], strict=True):
        model.add_bool_or([~here, ~there, below, above])

"""Several memories: every buffer whole in one of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from deployer.allocate.exact import SOLVER, has_answer, new_solver
from deployer.allocate.greedy import FITS, ORDERS, Taken
from deployer.allocate.instance import Instance


@dataclass(frozen=True)
class Split:
    """Per buffer an offset and the index of its memory; ``total`` sums the heights."""

    offsets: tuple[int, ...]
    memories: tuple[int, ...]
    total: int
    solver: str


def greedy_split(instance: Instance, capacities: Sequence[int]) -> Split | None:
    """Each buffer into the first memory with room; the smallest total of all orders and fits."""
    best: Split | None = None
    for (order_name, order), (fit_name, fit) in product(ORDERS.items(), FITS.items()):
        found = _place(instance, order(instance), fit, capacities)
        if found is None:
            continue
        total = _total(instance, *found)
        if best is None or total < best.total:
            best = Split(*found, total, f"greedy {order_name} {fit_name}")
    return best


def exact_split(instance: Instance, capacities: Sequence[int], limit: float) -> Split | None:
    """The smallest total CP-SAT finds within ``limit`` work. None when it finds nothing."""
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    unit = math.gcd(*instance.sizes) or 1
    rooms = [capacity // unit for capacity in capacities]
    choose = [
        [model.new_bool_var(f"m{i}_{k}") for k in range(len(rooms))] for i in range(instance.count)
    ]
    tallest = max(rooms, default=0)
    offsets = [model.new_int_var(0, tallest, f"y{i}") for i in range(instance.count)]
    heights = [model.new_int_var(0, room, f"h{k}") for k, room in enumerate(rooms)]
    for i, size in enumerate(instance.sizes):
        model.add_exactly_one(choose[i])
        for k, here in enumerate(choose[i]):
            model.add(offsets[i] + size // unit <= heights[k]).only_enforce_if(here)
    for i, j in instance.conflicts():
        _separate(model, instance, unit, offsets, choose, (i, j))
    model.add(sum(heights) >= instance.bound // unit)
    model.minimize(sum(heights))
    solver = new_solver(limit)
    if not has_answer(solver.solve(model)):
        return None
    places = tuple(solver.value(offset) * unit for offset in offsets)
    memories = tuple([solver.value(b) for b in row].index(1) for row in choose)
    return Split(places, memories, _total(instance, places, memories), SOLVER)


def _place(
    instance: Instance,
    order: Sequence[int],
    fit: Callable[[Taken, int], int],
    capacities: Sequence[int],
) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Offsets and memories, or None when a buffer fits nowhere."""
    offsets, memories = [-1] * instance.count, [-1] * instance.count
    for i in order:
        for k, capacity in enumerate(capacities):
            near = [j for j in instance.neighbours[i] if memories[j] == k]
            taken = sorted((offsets[j], offsets[j] + instance.sizes[j]) for j in near)
            offset = fit(taken, instance.sizes[i])
            if offset + instance.sizes[i] <= capacity:
                offsets[i], memories[i] = offset, k
                break
        else:
            return None
    return tuple(offsets), tuple(memories)


def _total(instance: Instance, offsets: tuple[int, ...], memories: tuple[int, ...]) -> int:
    ends: dict[int, int] = {}
    for offset, size, k in zip(offsets, instance.sizes, memories, strict=True):
        ends[k] = max(ends.get(k, 0), offset + size)
    return sum(ends.values())


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

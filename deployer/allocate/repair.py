"""Priority repair ("squeaky wheel"): what sticks out above the target is placed earlier."""

from __future__ import annotations

import random
from collections.abc import Sequence

from deployer.allocate.heuristics.orders import by_area, by_breadth, by_size, by_span
from deployer.allocate.heuristics.placing import place
from deployer.allocate.instance import Instance, Packing
from deployer.allocate.solver_name import SolverName

ROUNDS = 75  # per start order
_SEED = 0
_RAISE_SHARES = (0.1, 0.5)  # of the number of buffers


def repair(
    instance: Instance, start: Packing, *, target: int | None = None, rounds: int = ROUNDS
) -> Packing:
    """``start`` or a lower packing; stops at ``target`` or the live-set bound. Deterministic."""
    target = instance.bound if target is None else target
    best = start
    dice = random.Random(_SEED)
    for order in (by_size, by_breadth, by_area, by_span):
        if best.height <= target or not rounds:
            break
        best = _from_order(instance, order(instance), best, target, dice, rounds)
    return best


def _from_order(
    instance: Instance,
    order: Sequence[int],
    best: Packing,
    target: int,
    dice: random.Random,
    rounds: int,
) -> Packing:
    count = instance.count
    priority = [0.0] * count
    for rank, i in enumerate(order):
        priority[i] = float(rank)
    for _ in range(rounds):
        ranked = sorted(range(count), key=priority.__getitem__)
        offsets = place(instance, ranked)
        height = instance.height(offsets)
        if height < best.height:
            best = Packing(offsets, height, SolverName.REPAIR)
        if height <= target:
            break
        _blame(instance, offsets, target, priority, dice)
    return best


def _blame(
    instance: Instance,
    offsets: Sequence[int],
    target: int,
    priority: list[float],
    dice: random.Random,
) -> None:
    for i, (offset, size) in enumerate(zip(offsets, instance.sizes, strict=True)):
        if offset + size > target:
            priority[i] -= dice.uniform(*_RAISE_SHARES) * instance.count

"""Priority repair ("squeaky wheel"): what sticks out above the bound is placed earlier."""

from __future__ import annotations

import random
from collections.abc import Sequence

from deployer.allocate.greedy import by_area, by_breadth, by_size, place
from deployer.allocate.instance import Instance, Packing

ROUNDS = 75  # per start order
_SEED = 0
_RAISE = (0.1, 0.5)  # of the number of buffers


def repair(instance: Instance, start: Packing) -> Packing:
    """``start`` or a lower packing; stops at the live-set bound. Deterministic."""
    best = start
    dice = random.Random(_SEED)
    for order in (by_size, by_breadth, by_area, _by_span):
        best = _from_order(instance, order(instance), best, dice)
        if best.height == instance.bound:
            break
    return best


def _from_order(
    instance: Instance, order: Sequence[int], best: Packing, dice: random.Random
) -> Packing:
    priority = [0.0] * instance.count
    for rank, i in enumerate(order):
        priority[i] = float(instance.count - rank)
    for _ in range(ROUNDS):
        ranked = sorted(range(instance.count), key=lambda i: -priority[i])
        offsets = place(instance, ranked)
        assert offsets is not None  # no limit was given
        height = instance.height(offsets)
        if height < best.height:
            best = Packing(offsets, height, "repair")
        if height == instance.bound:
            return best
        _blame(instance, offsets, priority, dice)
    return best


def _blame(
    instance: Instance, offsets: Sequence[int], priority: list[float], dice: random.Random
) -> None:
    for i, (offset, size) in enumerate(zip(offsets, instance.sizes, strict=True)):
        if offset + size > instance.bound:
            priority[i] += dice.uniform(*_RAISE) * instance.count


def _by_span(instance: Instance) -> list[int]:
    """Longest lifetime first."""
    spans = [u - lo for lo, u in zip(instance.lowers, instance.uppers, strict=True)]
    return sorted(range(instance.count), key=lambda i: -spans[i])

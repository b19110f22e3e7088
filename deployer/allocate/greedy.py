"""Fast upper bounds: place buffers one by one, in several orders, into the first or tightest gap.

Orders and fits follow paper 001, section 2.2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

from deployer.allocate.instance import Instance, Packing

Taken = list[tuple[int, int]]  # [begin, end) ranges of bytes, sorted


def by_size(instance: Instance) -> list[int]:
    """Largest first."""
    return sorted(range(instance.count), key=lambda i: -instance.sizes[i])


def by_area(instance: Instance) -> list[int]:
    """Largest lifetime times size first."""
    spans = [u - lo for lo, u in zip(instance.lowers, instance.uppers, strict=True)]
    return sorted(range(instance.count), key=lambda i: -spans[i] * instance.sizes[i])


def by_start(instance: Instance) -> list[int]:
    """Earliest first, then the largest."""
    keys = [(lo, -s) for lo, s in zip(instance.lowers, instance.sizes, strict=True)]
    return sorted(range(instance.count), key=keys.__getitem__)


def by_start_down(instance: Instance) -> list[int]:
    """Latest first, then the largest."""
    keys = [(-lo, -s) for lo, s in zip(instance.lowers, instance.sizes, strict=True)]
    return sorted(range(instance.count), key=keys.__getitem__)


def by_breadth(instance: Instance) -> list[int]:
    """The fullest step first; within a step the largest."""
    alive = {step: alive_at(instance, step) for step in sorted(set(instance.lowers))}
    weight = {step: sum(instance.sizes[i] for i in members) for step, members in alive.items()}
    order: dict[int, None] = {}
    for step in sorted(alive, key=lambda step: -weight[step]):
        order |= dict.fromkeys(sorted(alive[step], key=lambda i: -instance.sizes[i]))
    return list(order)


def alive_at(instance: Instance, step: int) -> list[int]:
    return [i for i in range(instance.count) if instance.lowers[i] <= step < instance.uppers[i]]


ORDERS: dict[str, Callable[[Instance], list[int]]] = {
    "size": by_size,
    "area": by_area,
    "breadth": by_breadth,
    "start": by_start,
    "start-down": by_start_down,
}


def first_fit(taken: Taken, size: int) -> int:
    """The lowest offset with ``size`` free bytes."""
    level = 0
    for begin, end in taken:
        if begin - level >= size:
            return level
        level = max(level, end)
    return level


def best_fit(taken: Taken, size: int) -> int:
    """The start of the tightest gap of ``size`` bytes; above everything if there is none."""
    level, gaps = 0, []
    for begin, end in taken:
        if begin - level >= size:
            gaps.append((begin - level, level))
        level = max(level, end)
    return min(gaps)[1] if gaps else level


FITS: dict[str, Callable[[Taken, int], int]] = {"first-fit": first_fit, "best-fit": best_fit}


def place(
    instance: Instance,
    order: Sequence[int],
    *,
    fit: Callable[[Taken, int], int] = first_fit,
    limit: int | None = None,
) -> tuple[int, ...] | None:
    """Offsets of all buffers, placed in ``order``. None as soon as one ends above ``limit``."""
    offsets = [-1] * instance.count
    sizes = instance.sizes
    for i in order:
        near = [j for j in instance.neighbours[i] if offsets[j] >= 0]
        taken = sorted((offsets[j], offsets[j] + sizes[j]) for j in near)
        offsets[i] = fit(taken, sizes[i])
        if limit is not None and offsets[i] + sizes[i] > limit:
            return None
    return tuple(offsets)


def greedy(instance: Instance) -> Packing:
    """The best of all orders and fits; stops at the live-set bound."""
    best: Packing | None = None
    for (order_name, order), (fit_name, fit) in product(ORDERS.items(), FITS.items()):
        limit = best.height - 1 if best else None
        offsets = place(instance, order(instance), fit=fit, limit=limit)
        if offsets is not None:
            name = f"greedy {order_name} {fit_name}"
            best = Packing(offsets, instance.height(offsets), name)
            if best.height == instance.bound:
                break
    assert best is not None  # without a limit every order succeeds
    return best

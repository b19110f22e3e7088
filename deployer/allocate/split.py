"""Several memories: every buffer whole in one of them, as cheaply as it can be done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

from deployer.allocate.heuristics import orders
from deployer.allocate.heuristics.placing import Fit, best_fit, first_fit
from deployer.allocate.instance import Instance
from deployer.choices import Word

Costs = Sequence[Sequence[int]]  # per buffer, per memory


class OrderName(Word):
    """Which buffers are placed first. ``COST`` and ``COST_PER_BYTE``: those that lose most in
    another memory."""

    SIZE = "size"
    AREA = "area"
    BREADTH = "breadth"
    START = "start"
    START_DOWN = "start-down"
    COST = "cost"
    COST_PER_BYTE = "cost-per-byte"


class FitName(Word):
    """Which gap a buffer takes: the first with room, or the tightest."""

    FIRST = "first-fit"
    BEST = "best-fit"


ORDERS: dict[OrderName, Callable[[Instance], list[int]]] = {
    OrderName.SIZE: orders.by_size,
    OrderName.AREA: orders.by_area,
    OrderName.BREADTH: orders.by_breadth,
    OrderName.START: orders.by_start,
    OrderName.START_DOWN: orders.by_start_down,
}
FITS: dict[FitName, Fit] = {FitName.FIRST: first_fit, FitName.BEST: best_fit}


@dataclass(frozen=True)
class Split:
    """Per buffer an offset and the index of its memory; ``total`` sums the heights.

    ``cost`` sums what the buffers cost where they lie; ``proven`` when no split has a smaller cost
    or, at that cost, a smaller total.
    """

    offsets: tuple[int, ...]
    memories: tuple[int, ...]
    total: int
    solver: str
    cost: int
    proven: bool

    @property
    def rank(self) -> tuple[int, int]:
        """Less is better: cost first, then bytes."""
        return self.cost, self.total


def greedy_split(
    instance: Instance, capacities: Sequence[int], costs: Costs = (), most: int | None = None
) -> Split | None:
    """Each buffer into the cheapest memory with room, the first of equals; in at most ``most``
    bytes if that is given.

    The best of all orders and fits; with ``costs`` also those that lose most elsewhere first.
    """
    best: Split | None = None
    for (name, order), (fit_name, fit) in product(_orders(instance, costs).items(), FITS.items()):
        found = _place(instance, order, fit, capacities, costs)
        if found is None:
            continue
        split = split_of(instance, *found, costs=costs, solver=f"greedy {name} {fit_name}")
        if most is not None and split.total > most:
            continue
        if best is None or split.rank < best.rank:
            best = split
    return best


def split_of(
    instance: Instance,
    offsets: Sequence[int],
    memories: Sequence[int],
    *,
    costs: Costs,
    solver: str,
    proven: bool = False,
) -> Split:
    """The split with its cost and total."""
    ends: dict[int, int] = {}
    for offset, size, k in zip(offsets, instance.sizes, memories, strict=True):
        ends[k] = max(ends.get(k, 0), offset + size)
    cost = sum(row[k] for row, k in zip(costs, memories, strict=True)) if costs else 0
    return Split(tuple(offsets), tuple(memories), sum(ends.values()), solver, cost, proven)


def _orders(instance: Instance, costs: Costs) -> dict[OrderName, list[int]]:
    found = {name: order(instance) for name, order in ORDERS.items()}
    if costs:
        loss = [max(row) - min(row) for row in costs]
        per_byte = [lost / (size or 1) for lost, size in zip(loss, instance.sizes, strict=True)]
        everyone = range(instance.count)
        found[OrderName.COST] = sorted(everyone, key=lambda i: -loss[i])
        found[OrderName.COST_PER_BYTE] = sorted(everyone, key=lambda i: -per_byte[i])
    return found


def _place(
    instance: Instance, order: Sequence[int], fit: Fit, capacities: Sequence[int], costs: Costs
) -> tuple[list[int], list[int]] | None:
    """Offsets and memories, or None when a buffer fits nowhere."""
    offsets, memories = [-1] * instance.count, [-1] * instance.count
    for i in order:
        choices = range(len(capacities))
        for k in sorted(choices, key=costs[i].__getitem__) if costs else choices:
            near = [j for j in instance.neighbours[i] if memories[j] == k]
            taken = sorted((offsets[j], offsets[j] + instance.sizes[j]) for j in near)
            offset = fit(taken, instance.sizes[i])
            if offset + instance.sizes[i] <= capacities[k]:
                offsets[i], memories[i] = offset, k
                break
        else:
            return None
    return offsets, memories

"""gb-best: the fullest start first, each into the tightest gap (paper 001, table 2.2)."""

from __future__ import annotations

from deployer.allocate.heuristics.orders import by_breadth
from deployer.allocate.heuristics.placing import best_fit, place
from deployer.allocate.instance import Instance


def gb_best(instance: Instance) -> tuple[int, ...]:
    """One offset per buffer."""
    return place(instance, by_breadth(instance), best_fit)

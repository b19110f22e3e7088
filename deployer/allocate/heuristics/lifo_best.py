"""lifo-best: the latest first, each into the tightest gap (paper 001, table 2.2)."""

from __future__ import annotations

from deployer.allocate.heuristics.orders import by_start_down
from deployer.allocate.heuristics.placing import best_fit, place
from deployer.allocate.instance import Instance


def lifo_best(instance: Instance) -> tuple[int, ...]:
    """One offset per buffer."""
    return place(instance, by_start_down(instance), best_fit)

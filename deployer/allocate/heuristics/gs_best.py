"""gs-best: the largest first, each into the tightest gap (paper 001, table 2.2)."""

from __future__ import annotations

from deployer.allocate.heuristics.orders import by_size
from deployer.allocate.heuristics.placing import best_fit, place
from deployer.allocate.instance import Instance


def gs_best(instance: Instance) -> tuple[int, ...]:
    """One offset per buffer."""
    return place(instance, by_size(instance), best_fit)

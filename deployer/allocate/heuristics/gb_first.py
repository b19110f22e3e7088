"""gb-first: the fullest start first, each into the lowest gap (paper 001, table 2.2)."""

from __future__ import annotations

from deployer.allocate.heuristics.orders import by_breadth
from deployer.allocate.heuristics.placing import first_fit, place
from deployer.allocate.instance import Instance


def gb_first(instance: Instance) -> tuple[int, ...]:
    """One offset per buffer."""
    return place(instance, by_breadth(instance), first_fit)

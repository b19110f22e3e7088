"""lifo-first: the latest first, each into the lowest gap (paper 001, table 2.2)."""

from __future__ import annotations

from deployer.allocate.heuristics.orders import by_start_down
from deployer.allocate.heuristics.placing import first_fit, place
from deployer.allocate.instance import Instance


def lifo_first(instance: Instance) -> tuple[int, ...]:
    """One offset per buffer."""
    return place(instance, by_start_down(instance), first_fit)

"""Bag of heuristics (paper 001, section 2.2.3): the best of several."""

from __future__ import annotations

from collections.abc import Sequence

from deployer.allocate.heuristics.registry import BAG, HEURISTICS
from deployer.allocate.instance import Instance, Packing


def bag(instance: Instance, names: Sequence[str] = BAG) -> Packing:
    """The lowest packing of ``names``, the first of equals; stops at the live-set bound."""
    best: Packing | None = None
    for name in names:
        offsets = HEURISTICS[name](instance)
        height = instance.height(offsets)
        if best is None or height < best.height:
            best = Packing(offsets, height, name)
        if height == instance.bound:
            break
    if best is None:
        raise ValueError("no heuristic named")
    return best

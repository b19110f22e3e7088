"""Which buffer is placed next: the tensor indexing of paper 001, table 2.2."""

from __future__ import annotations

from deployer.allocate.instance import Instance


def by_size(instance: Instance) -> list[int]:
    """Largest first, then the earliest."""
    keys = [(-s, lo) for s, lo in zip(instance.sizes, instance.lowers, strict=True)]
    return sorted(range(instance.count), key=keys.__getitem__)


def by_start(instance: Instance) -> list[int]:
    """Earliest first, then the largest ("fifo")."""
    keys = [(lo, -s) for lo, s in zip(instance.lowers, instance.sizes, strict=True)]
    return sorted(range(instance.count), key=keys.__getitem__)


def by_start_down(instance: Instance) -> list[int]:
    """Latest first, then the largest ("lifo")."""
    keys = [(-lo, -s) for lo, s in zip(instance.lowers, instance.sizes, strict=True)]
    return sorted(range(instance.count), key=keys.__getitem__)


def by_breadth(instance: Instance) -> list[int]:
    """Most bytes alive at the start first, then the largest."""
    alive = alive_at_starts(instance)
    keys = [(-alive[lo], -s) for lo, s in zip(instance.lowers, instance.sizes, strict=True)]
    return sorted(range(instance.count), key=keys.__getitem__)


def by_area(instance: Instance) -> list[int]:
    """Largest lifetime times size first; not in the table, a start for repair."""
    keys = [-w * s for w, s in zip(instance.spans, instance.sizes, strict=True)]
    return sorted(range(instance.count), key=keys.__getitem__)


def by_span(instance: Instance) -> list[int]:
    """Longest lifetime first; not in the table, a start for repair."""
    keys = [-w for w in instance.spans]
    return sorted(range(instance.count), key=keys.__getitem__)


def alive_at_starts(instance: Instance) -> dict[int, int]:
    """Bytes alive at every step in which a buffer begins or ends."""
    change: dict[int, int] = {}
    for lower, upper, size in zip(instance.lowers, instance.uppers, instance.sizes, strict=True):
        change[lower] = change.get(lower, 0) + size
        change[upper] = change.get(upper, 0) - size
    total, alive = 0, {}
    for step in sorted(change):
        total += change[step]
        alive[step] = total
    return alive

"""Which items are worth their bytes in a memory of limited size: exact, by dynamic programming."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

UNIT_BYTES = 8  # what an array's size is rounded up to


@dataclass(frozen=True)
class Item:
    """``bytes`` it takes, ``worth`` what having it saves; both 0 or more."""

    bytes: int
    worth: int

    @property
    def units(self) -> int:
        return -(-self.bytes // UNIT_BYTES)


def choose(items: Sequence[Item], room: int) -> tuple[int, ...]:
    """Indices of the items of greatest worth together that fit ``room`` bytes, ascending.

    Of equal choices the one that leaves out later items. Nothing without worth is chosen.
    """
    units = max(room, 0) // UNIT_BYTES
    best = np.zeros(units + 1, np.int64)
    taken = np.zeros((len(items), units + 1), bool)
    for index, item in enumerate(items):
        if item.worth <= 0 or item.units > units:
            continue
        with_it = best[: units + 1 - item.units] + item.worth
        better = with_it > best[item.units :]
        taken[index, item.units :] = better
        best[item.units :] = np.where(better, with_it, best[item.units :])
    return _backwards(items, taken, units)


def _backwards(items: Sequence[Item], taken: np.ndarray, units: int) -> tuple[int, ...]:
    found = []
    for index in range(len(items) - 1, -1, -1):
        if taken[index, units]:
            found.append(index)
            units -= items[index].units
    return tuple(reversed(found))

"""b2sp: offset first (paper 001, algorithm 2).

The lowest, then leftmost, stretch of the skyline takes the buffer of the longest lifetime that fits
into it; when none does, the stretch is raised to its lower neighbour and the bytes are lost.
"""

from __future__ import annotations

from deployer.allocate.instance import Instance

Stretch = tuple[int, int, int]  # from step, to step, offset


def b2sp(instance: Instance) -> tuple[int, ...]:
    """One offset per buffer."""
    offsets = [0] * instance.count
    left = _longest_first(instance)
    lowers, uppers = instance.lowers, instance.uppers
    skyline: list[Stretch] = [(min(lowers, default=0), max(uppers, default=0), 0)]
    while left:
        k = min(range(len(skyline)), key=lambda k: (skyline[k][2], skyline[k][0]))
        begin, end, level = skyline[k]
        found = next((i for i in left if begin <= lowers[i] and uppers[i] <= end), None)
        if found is None:
            _raise(skyline, k)
            continue
        left.remove(found)
        offsets[found] = level
        top = level + instance.sizes[found]
        pieces = [(begin, lowers[found], level), (lowers[found], uppers[found], top)]
        pieces.append((uppers[found], end, level))
        skyline[k : k + 1] = [piece for piece in pieces if piece[0] < piece[1]]
        skyline[:] = _merged(skyline)
    return tuple(offsets)


def _longest_first(instance: Instance) -> list[int]:
    keys = [(-w, -s) for w, s in zip(instance.spans, instance.sizes, strict=True)]
    return sorted(range(instance.count), key=keys.__getitem__)


def _raise(skyline: list[Stretch], k: int) -> None:
    """Stretch ``k`` is the lowest and has a neighbour: alone it would take any buffer."""
    begin, end, _ = skyline[k]
    beside = skyline[max(k - 1, 0) : k] + skyline[k + 1 : k + 2]
    skyline[k] = (begin, end, min(level for _, _, level in beside))
    skyline[:] = _merged(skyline)


def _merged(skyline: list[Stretch]) -> list[Stretch]:
    """Neighbours of one level become one stretch."""
    merged = skyline[:1]
    for begin, end, level in skyline[1:]:
        if level == merged[-1][2]:
            merged[-1] = (merged[-1][0], end, level)
        else:
            merged.append((begin, end, level))
    return merged

"""The live-set peak: the largest sum of sizes alive in one step."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from deployer.ir import Buffer


@dataclass(frozen=True)
class Peak:
    """``bytes`` alive together at ``step``, the first such step; ``alive`` is largest first.

    No placement without overlaps is smaller, whatever the solver.
    """

    bytes: int
    step: int
    alive: tuple[Buffer, ...]


def live_peak(buffers: Iterable[Buffer]) -> Peak:
    """The peak of ``buffers``. Only steps where one begins can be the first of a peak."""
    buffers = tuple(buffers)
    step = max(sorted({b.lower for b in buffers}), key=live_bytes(buffers).__getitem__, default=0)
    alive = [b for b in buffers if b.lower <= step < b.upper]
    alive.sort(key=lambda b: -b.size)
    return Peak(sum(b.size for b in alive), step, tuple(alive))


def live_profile(buffers: Iterable[Buffer], steps: int) -> tuple[int, ...]:
    """Bytes alive in each of ``steps`` steps."""
    levels, level, found = live_bytes(buffers), 0, []
    for step in range(steps):
        level = levels.get(step, level)
        found.append(level)
    return tuple(found)


def live_bytes(buffers: Iterable[Buffer]) -> dict[int, int]:
    """Bytes alive from each step at which something begins or ends until the next such step."""
    change: dict[int, int] = {}
    for buffer in buffers:
        change[buffer.lower] = change.get(buffer.lower, 0) + buffer.size
        change[buffer.upper] = change.get(buffer.upper, 0) - buffer.size
    total, levels = 0, {}
    for step in sorted(change):
        total += change[step]
        levels[step] = total
    return levels

"""Graph colouring with its post-pass (paper 001, section 2.2.3, after its reference 68).

Buffers of one colour are never alive together and share a region as large as the largest of them.
The post-pass lets each sink onto what lies below it.
"""

from __future__ import annotations

from collections.abc import Sequence

from deployer.allocate.heuristics.orders import by_start
from deployer.allocate.instance import Instance


def coloring(instance: Instance) -> tuple[int, ...]:
    """One offset per buffer."""
    return sink(instance, stack(instance, colors(instance)))


def colors(instance: Instance) -> list[int]:
    """One colour per buffer, as few as there can be: in order of start, the lowest free one.

    For lifetimes that order needs no more colours than buffers are ever alive together.
    """
    color = [-1] * instance.count
    for i in by_start(instance):
        used = {color[j] for j in instance.neighbours[i]}
        color[i] = next(c for c in range(len(used) + 1) if c not in used)
    return color


def stack(instance: Instance, color: Sequence[int]) -> list[int]:
    """The offset of each buffer's region: the largest region lowest."""
    largest: dict[int, int] = {}
    for c, size in zip(color, instance.sizes, strict=True):
        largest[c] = max(largest.get(c, 0), size)
    begin, offset = {}, 0
    for c in sorted(largest, key=lambda c: (-largest[c], c)):
        begin[c] = offset
        offset += largest[c]
    return [begin[c] for c in color]


def sink(instance: Instance, offsets: Sequence[int]) -> tuple[int, ...]:
    """Every buffer down onto the highest end below it, from the bottom up; then none can sink."""
    lowered, sizes = list(offsets), instance.sizes
    for i in sorted(range(instance.count), key=lambda i: (offsets[i], sizes[i], i)):
        solid = [j for j in instance.neighbours[i] if sizes[j]]
        below = [j for j in solid if offsets[j] + sizes[j] <= offsets[i]]
        lowered[i] = max((lowered[j] + sizes[j] for j in below), default=0)
    return tuple(lowered)

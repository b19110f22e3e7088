"""Is there a packing of a given height? A search of our own over canonical packings.

After Moffitt and Pollack, "Optimal rectangle packing: an absolute placement approach", and Moffitt,
"MiniMalloc". Buffers are placed with offsets that never decrease, each resting on what lies below
it. A buffer is not placed where another one still fits completely beneath: that one could sink. A
branch ends when in some live set the sizes still to come, piled on where they can begin, exceed the
height. Where what is left falls apart in time, the pieces are searched one by one. What failed once
fails again: skylines are remembered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from deployer.allocate.instance import Instance
from deployer.allocate.sections import independent, sections_of
from deployer.choices import Word

_BUFFERS_PER_PLACEMENT = 100  # buffers looked at that count as one more placement
MAX_BUFFERS = 600  # buffers: the search recurses once a buffer
Rank = Callable[[Instance, int], int]


class RankName(Word):
    """Of buffers that may lie equally low the largest goes first: by what."""

    AREA = "area"
    SIZE = "size"
    SPAN = "span"


RANKS: dict[RankName, Rank] = {
    RankName.AREA: lambda instance, i: -instance.sizes[i] * instance.spans[i],
    RankName.SIZE: lambda instance, i: -instance.sizes[i],
    RankName.SPAN: lambda instance, i: -instance.spans[i],
}


@dataclass(frozen=True)
class Found:
    """``offsets`` of a packing no higher than the bound, or None.

    If there is none and the search came to its end, no packing is lower than ``least``, which is
    above that height. ``nodes`` placements were tried, large ones counted several times.
    """

    offsets: tuple[int, ...] | None
    least: int
    nodes: int


class OutOfNodes(Exception):
    """The search was cut short."""


def pack(instance: Instance, height: int, nodes: int, rank: RankName = RankName.AREA) -> Found:
    """A packing of at most ``height``, or why none is known after ``nodes`` placements."""
    if instance.bound > height:
        return Found(None, instance.bound, 0)
    if instance.count > MAX_BUFFERS:
        return Found(None, height, 0)
    search = _Search(instance, height, nodes, RANKS[rank])
    try:
        packed = search.run()
    except OutOfNodes:
        return Found(None, height, nodes)
    if packed:
        return Found(tuple(search.offsets), height, search.nodes)
    return Found(None, search.least, search.nodes)


class _Search:
    """``offsets[i]`` is where i lies, or as low as it can lie given what is placed."""

    def __init__(self, instance: Instance, height: int, limit: int, rank: Rank):
        self.instance, self.height, self.limit = instance, height, limit
        self.nodes, self.least = 0, sum(instance.sizes)
        self.offsets = [0] * instance.count
        self.waiting = [size > 0 for size in instance.sizes]
        self.sections = sections_of(instance)
        order = sorted(range(instance.count), key=lambda i: (rank(instance, i), i))
        self.rank = {i: r for r, i in enumerate(order)}
        self.twin = _twins(instance, self.sections.of)
        self.placed: list[int] = []
        self.lifted: list[tuple[int, int]] = []  # a buffer and its offset before
        self.failed: set[tuple[tuple[int, ...], tuple[int, ...], int, int]] = set()

    def run(self) -> bool:
        everyone = [i for i in range(self.instance.count) if self.waiting[i]]
        everyone.sort(key=self.instance.lowers.__getitem__)
        return all(self._one(group, -1, -1) for group in independent(self.instance, everyone))

    def _one(self, group: list[int], level: int, latest: int) -> bool:
        """Place ``group``, from offset ``level`` and after the buffer ``latest`` there."""
        offsets = self.offsets
        state = (tuple(group), tuple([offsets[i] for i in group]), level, latest)
        if state in self.failed:
            return False
        marks = len(self.placed), len(self.lifted)
        for i in self._candidates(group, level, latest):
            if self._put(i):
                rest = [j for j in group if j != i]
                for piece in independent(self.instance, rest):
                    if not self._one(piece, offsets[i], i):
                        break
                else:
                    return True
            self._take_back(*marks)
        self.failed.add(state)
        return False

    def _candidates(self, group: list[int], level: int, latest: int) -> list[int]:
        """What may come next, the lowest first."""
        offsets, sizes, waiting, twin = self.offsets, self.instance.sizes, self.waiting, self.twin
        lowest_end = min([offsets[i] + sizes[i] for i in group])
        found = [
            i
            for i in group
            if level <= offsets[i] < lowest_end
            and (offsets[i] > level or i > latest)
            and not (twin[i] >= 0 and waiting[twin[i]])
        ]
        found.sort(key=lambda i: (offsets[i], self.rank[i]))
        return found

    def _put(self, i: int) -> bool:
        """Place i where it rests. False when some live set has no room left for its others."""
        self.nodes += 1
        if self.nodes > self.limit:
            raise OutOfNodes
        offsets, waiting, of = self.offsets, self.waiting, self.sections.of
        level = offsets[i]
        end = level + self.instance.sizes[i]
        waiting[i] = False
        self.placed.append(i)
        touched = set(of[i])
        for j in self.instance.neighbours[i]:
            if waiting[j] and offsets[j] < end:
                self.lifted.append((j, offsets[j]))
                offsets[j] = end
                touched.update(of[j])
        members = self.sections.members
        self.nodes += sum([len(members[s]) for s in touched]) // _BUFFERS_PER_PLACEMENT
        return all(self._has_room(s, level) for s in sorted(touched))

    def _has_room(self, section: int, level: int) -> bool:
        """Whether what is waiting in a live set can be piled up within the height."""
        offsets, sizes, waiting = self.offsets, self.instance.sizes, self.waiting
        pile = [(offsets[i], sizes[i]) for i in self.sections.members[section] if waiting[i]]
        pile.sort(reverse=True)
        total = need = 0
        for offset, size in pile:
            total += size
            if offset + total > need:
                need = offset + total
        if pile:
            need = max(need, level + total)
        if need <= self.height:
            return True
        self.least = min(self.least, need)
        return False

    def _take_back(self, placed: int, lifted: int) -> None:
        for i in self.placed[placed:]:
            self.waiting[i] = True
        del self.placed[placed:]
        for j, before in reversed(self.lifted[lifted:]):
            self.offsets[j] = before
        del self.lifted[lifted:]


def _twins(instance: Instance, of: Sequence[tuple[int, ...]]) -> list[int]:
    """The buffer before i of the same size in the same live sets, or -1: they may be swapped."""
    latest: dict[tuple[int, tuple[int, ...]], int] = {}
    found = []
    for i, size in enumerate(instance.sizes):
        found.append(latest.get((size, of[i]), -1))
        latest[(size, of[i])] = i
    return found

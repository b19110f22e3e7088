"""When weights are fetched from the memory behind L2: as early as L2 has room.

One link serves the transfers one after the other, in the order in which steps need them. So
whoever is prefetched before step i has everything that is needed before it in L2, too, and for each
transfer there is one earliest step at which that fits: with all of them no schedule stalls less.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from deployer.board import Dma


@dataclass(frozen=True)
class Transfer:
    """``bytes`` that ``step`` needs; ``cycles`` of the link."""

    step: int
    bytes: int
    cycles: float


def link_cycles(dma: Dma, size: int) -> float:
    """Of a transfer of ``size`` bytes, set-ups of its pieces included."""
    pieces = -(-size // dma.piece_bytes) if dma.piece_bytes else 1
    return pieces * dma.setup_cycles + size / dma.bytes_per_cycle


@dataclass(frozen=True)
class Timeline:
    """Estimated: when each step is ready to begin (its transfers are issued then), how long it
    waits, when each transfer is done; ``total`` cycles."""

    ready: tuple[float, ...]
    waits: tuple[float, ...]
    done: tuple[float, ...]
    total: float

    @property
    def stalled(self) -> float:
        return sum(self.waits)


@dataclass(frozen=True, eq=False)
class Traffic:
    """Steps of ``cycles`` each with ``alive`` bytes beside weights, and what they fetch, in the
    order of their steps. ``entries``: the steps at which transfers may be issued, ascending; all
    that fetch are among them."""

    cycles: Sequence[float]
    alive: Sequence[int]
    transfers: Sequence[Transfer]
    entries: Sequence[int]

    def timeline(self, begins: Sequence[int]) -> Timeline:
        """What happens with transfers issued at ``begins``, which ascend."""
        now, free, issued, waited = 0.0, 0.0, 0, 0
        ready, waits, done = [], [], list[float]()
        for step, cycles in enumerate(self.cycles):
            ready.append(now)
            while issued < len(begins) and begins[issued] <= step:
                free = max(free, now) + self.transfers[issued].cycles
                done.append(free)
                issued += 1
            begin = now
            while waited < len(begins) and self.transfers[waited].step == step:
                begin = max(begin, done[waited])
                waited += 1
            waits.append(begin - now)
            now = begin + cycles
        return Timeline(tuple(ready), tuple(waits), tuple(done), now)

    def earliest(self, room: int) -> tuple[int, ...] | None:
        """The first step at which each transfer can be issued in ``room`` bytes of what is alive
        and weights; None when a step has no room for its own, or for what is alive."""
        if max(self.alive, default=0) > room:
            return None
        begins: list[int] = []
        before, first = [0, *accumulate(t.bytes for t in self.transfers)], 0
        for index, transfer in enumerate(self.transfers):
            first = self._first(index, before, room, first)
            if first > transfer.step:
                return None
            begins.append(self.entries[bisect_left(self.entries, first)])
        return tuple(begins)

    def _first(self, index: int, before: Sequence[int], room: int, least: int) -> int:
        """Behind the last step, up to its own, that has no room for transfer ``index`` beside those
        needed before it; ``least``: that of the transfer before, which needs as much room there."""
        oldest = index
        for step in range(self.transfers[index].step, least - 1, -1):
            while oldest > 0 and self.transfers[oldest - 1].step >= step:
                oldest -= 1
            if self.alive[step] + before[index + 1] - before[oldest] > room:
                return step + 1
        return least

    def latest(self, begins: Sequence[int]) -> tuple[int, ...]:
        """The last steps at which to issue transfers, that stall no longer than ``begins`` do."""
        line = self.timeline(begins)
        starts = [at + wait for at, wait in zip(line.ready, line.waits, strict=True)]
        found, limit = list(begins), float("inf")
        for index in reversed(range(len(begins))):
            transfer = self.transfers[index]
            limit = min(limit, starts[transfer.step]) - transfer.cycles
            last = found[index + 1] if index + 1 < len(begins) else transfer.step
            fine = (e for e in self.entries if e <= min(last, transfer.step))
            found[index] = max((e for e in fine if line.ready[e] <= limit), default=begins[index])
            found[index] = max(found[index], begins[index])
        return tuple(found)

    def divided(self, parts: Mapping[int, int], dma: Dma, part_cycles: float) -> Traffic:
        """With the steps of ``parts`` as so many, each with its share of work and bytes, and with
        ``part_cycles`` more."""
        cycles, alive, moved, entries = list[float](), list[int](), list[Transfer](), list[int]()
        own = {transfer.step: transfer for transfer in self.transfers}
        for step, whole in enumerate(self.cycles):
            count = parts.get(step, 1)
            for index in range(count):
                if step in own:
                    size = -(-own[step].bytes // (4 * count)) * 4
                    moved.append(Transfer(len(cycles), size, link_cycles(dma, size)))
                if step in self.entries or index:
                    entries.append(len(cycles))
                cycles.append(whole / count + (part_cycles if count > 1 else 0))
                alive.append(self.alive[step])
        return Traffic(cycles, alive, moved, entries)

    def without(self, kept: Sequence[int]) -> Traffic:
        """The transfers whose indices are not in ``kept`` alone."""
        left = [t for i, t in enumerate(self.transfers) if i not in set(kept)]
        return Traffic(self.cycles, self.alive, left, self.entries)


@dataclass(frozen=True)
class Choice:
    """``resident``: indices of transfers whose bytes are in L2 from the start; the steps at which
    the others are fetched, one by one in their order."""

    resident: tuple[int, ...]
    begins: tuple[int, ...]
    stalled: float
    fetched: int

    @property
    def rank(self) -> tuple[float, int]:
        return round(self.stalled), self.fetched


def choose(traffic: Traffic, room: int) -> Choice | None:
    """What stays in L2, and when transfers of the rest are issued: fewest estimated cycles of
    waiting first, then fewest bytes fetched. What saves most waiting a byte is kept first, then the
    largest that cost none. ``room`` is for everything. None when a step has no room for its own."""
    best = _choice(traffic, room, ())
    while best is not None and best.stalled:
        better = [one for one in _more(traffic, room, best) if one.stalled < best.stalled - 1]
        if not better:
            break
        now = best
        best = max(better, key=lambda one: _saved(now, one))
    for index in sorted(range(len(traffic.transfers)), key=lambda i: -traffic.transfers[i].bytes):
        more = _with(traffic, room, best, index) if best is not None else None
        best = more if more is not None and best is not None and more.rank < best.rank else best
    return best


def _saved(before: Choice, after: Choice) -> float:
    """Cycles a byte that is kept."""
    return (before.stalled - after.stalled) / (before.fetched - after.fetched)


def _more(traffic: Traffic, room: int, known: Choice) -> Iterator[Choice]:
    for index in range(len(traffic.transfers)):
        if found := _with(traffic, room, known, index):
            yield found


def _with(traffic: Traffic, room: int, known: Choice, index: int) -> Choice | None:
    if index in known.resident:
        return None
    return _choice(traffic, room, (*known.resident, index))


def _choice(traffic: Traffic, room: int, resident: tuple[int, ...]) -> Choice | None:
    left = traffic.without(resident)
    begins = left.earliest(room - sum(traffic.transfers[i].bytes for i in resident))
    if begins is None:
        return None
    stalled = left.timeline(begins).stalled
    return Choice(tuple(sorted(resident)), begins, stalled, sum(t.bytes for t in left.transfers))

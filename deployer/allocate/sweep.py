"""Can buffers be packed within a height at all? A sweep over time, for a proof that they cannot.

Any packing can sink until each buffer rests on another or on the ground, so only offsets that are
sums of sizes matter. Live set by live set, the sweep keeps every way in which the buffers that live
on can lie. In a network few do between two layers, and those ways stay few; where they do not, the
sweep gives up.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from deployer.allocate.instance import Instance
from deployer.allocate.sections import sections_of

_MAX_HEIGHT_UNITS = 4096  # units of height: longer bit strings are slow

State = tuple[int, ...]  # the offsets of those who live on


class OutOfTries(Exception):
    """The sweep was cut short."""


def next_lower(instance: Instance, height: int) -> int:
    """The largest height below ``height`` that a packing can have: a sum of sizes, or 0."""
    unit = math.gcd(*instance.sizes) or 1
    sums = _sums(instance, unit, (height - 1) // unit)
    return (sums.bit_length() - 1) * unit


def can_pack(instance: Instance, height: int, tries: int) -> bool | None:
    """Whether ``height`` is enough; None when ``tries`` placements do not tell."""
    unit = math.gcd(*instance.sizes) or 1
    room = height // unit
    if room > _MAX_HEIGHT_UNITS:
        return None
    sizes = [size // unit for size in instance.sizes]
    sweep = _Sweep(sizes, room, _sums(instance, unit, room), tries)
    try:
        return _through(sweep, [[i for i in s if sizes[i]] for s in sections_of(instance).members])
    except OutOfTries:
        return None


def _through(sweep: _Sweep, sections: Sequence[Sequence[int]]) -> bool:
    last = {i: s for s, section in enumerate(sections) for i in section}
    states: set[State] = {()}
    known: list[int] = []
    for s, section in enumerate(sections):
        stay = [i for i in section if last[i] > s]
        stay.sort(key=lambda i: (-sweep.sizes[i], last[i]))
        states = sweep.step(known, states, section, stay, [last[i] for i in stay])
        known = stay
        if not states:
            return False
    return True


@dataclass
class _Sweep:
    sizes: Sequence[int]
    room: int
    sums: int  # bit y is set when offset y can occur
    limit: int
    tries: int = 0
    starts: dict[tuple[int, int], list[int]] = field(default_factory=dict)

    def step(
        self,
        known: Sequence[int],
        states: set[State],
        section: Sequence[int],
        stay: Sequence[int],
        ends: Sequence[int],
    ) -> set[State]:
        """From how ``known`` may lie to how ``stay`` may, with all of ``section`` alive."""
        here = set(section)
        old = [k for k, i in enumerate(known) if i in here]
        at = {known[k]: k for k in old}
        come = sorted((i for i in stay if i not in at), key=lambda i: -self.sizes[i])
        go = sorted(here - set(stay) - set(at), key=lambda i: -self.sizes[i])
        found: set[State] = set()
        for state in states:
            taken = 0
            for k in old:
                taken |= ((1 << self.sizes[known[k]]) - 1) << state[k]
            lies = {i: state[k] for i, k in at.items()}
            self._spread(taken, lies, come, go, (stay, ends, found))
        return found

    def _spread(
        self,
        taken: int,
        lies: dict[int, int],
        come: Sequence[int],
        go: Sequence[int],
        target: tuple[Sequence[int], Sequence[int], set[State]],
    ) -> None:
        """Every way to place ``come`` that leaves room for ``go``."""
        if not come:
            stay, ends, found = target
            state = self._key(lies, stay, ends)
            if state not in found and self._holds(taken, go):
                found.add(state)
            return
        i, size = come[0], self.sizes[come[0]]
        for offset in self._free(taken, size):
            lies[i] = offset
            self._spread(taken | ((1 << size) - 1) << offset, lies, come[1:], go, target)
        lies.pop(i, None)

    def _key(self, lies: dict[int, int], stay: Sequence[int], ends: Sequence[int]) -> State:
        """Buffers of one size that end together may be swapped: their offsets in order."""
        keys = [(-self.sizes[i], end, lies[i]) for i, end in zip(stay, ends, strict=True)]
        return tuple([offset for _, _, offset in sorted(keys)])

    def _holds(self, taken: int, go: Sequence[int]) -> bool:
        if not go:
            return True
        size = self.sizes[go[0]]
        return any(
            self._holds(taken | ((1 << size) - 1) << offset, go[1:])
            for offset in self._free(taken, size)
        )

    def _free(self, taken: int, size: int) -> list[int]:
        """The possible offsets with ``size`` free units."""
        self.tries += 1
        if self.tries > self.limit:
            raise OutOfTries
        if (taken, size) not in self.starts:
            self.starts[taken, size] = _bits(self._gaps(taken, size) & self.sums)
        return self.starts[taken, size]

    def _gaps(self, taken: int, size: int) -> int:
        """Bit y is set when units y to y + size are free."""
        free, have = ~taken & ((1 << self.room) - 1), 1
        while have < size:
            step = min(have, size - have)
            free &= free >> step
            have += step
        return free


def _bits(mask: int) -> list[int]:
    """The bits that are set, ascending. Bit by bit, a mask of n words costs n a bit."""
    size = -(-mask.bit_length() // 8)
    octets = np.frombuffer(mask.to_bytes(size, "little"), np.uint8)
    found: list[int] = np.flatnonzero(np.unpackbits(octets, bitorder="little")).tolist()
    return found


def _sums(instance: Instance, unit: int, room: int) -> int:
    """Bit y is set when some sizes add up to y units, y up to ``room``."""
    mask, sums = (1 << (room + 1)) - 1, 1
    for size in instance.sizes:
        sums |= (sums << size // unit) & mask
    return sums
